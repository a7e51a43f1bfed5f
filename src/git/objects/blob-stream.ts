import { inScope, type RequestScope } from '../../core/request-scope.ts';
import { GitError } from '../common/index.ts';
import { killedError, spawnGit } from '../process/index.ts';

export interface StreamOptions {
  signal?: AbortSignal;
}

/** Processor time. The duration depends on the reader. */
const CPU_MS = 30 * 60_000;

/**
 * Streams a blob from git that is too large to be read in this process.
 * @param scope of the request: the stream is read after its handler has returned
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
