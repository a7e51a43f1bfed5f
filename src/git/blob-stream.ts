import { inScope, type RequestScope } from '../core/request-scope.ts';
import { GitError } from './git.errors.ts';
import { killedError, spawnGit } from './git.process.ts';

export interface StreamOptions {
  signal?: AbortSignal;
}

/** Of a processor: how long it lasts is up to whoever reads it. */
const CPU_MS = 30 * 60_000;

/**
 * What git writes of a blob that takes too much memory here.
 * @param scope of the request: it is read after its handler has ended
 * @throws GitError `not_found`, `corrupt`, `timeout`, `aborted`
 */
export async function* blobChunks(dir: string, oid: string, options: StreamOptions, scope: RequestScope) {
  const limits = { cpuMs: CPU_MS, ...options, gitDir: dir, lane: 'transport' as const };
  const git = await inScope(scope, () => spawnGit(['cat-file', 'blob', oid], limits));
  git.stdin.end();
  try {
    for await (const chunk of git.stdout) yield chunk as Buffer;
    const { code, stderr, killed } = await git.done;
    if (killed !== null) throw killedError(killed, `blob ${oid}`);
    if (code !== 0) throw new GitError(/not found|Not a valid/i.test(stderr) ? 'not_found' : 'corrupt', stderr.trim());
  } finally {
    git.kill();
  }
}
