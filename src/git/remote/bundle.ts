import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { runGit } from '../process/index.ts';
import { makeRepository } from '../repository/index.ts';
import { FETCH, mayTakeOver } from './git.import.ts';

const CPU_MS = 3_600_000;
const MAX_REFS = 64 * 1024 * 1024;

/** Checks every object as git does on a fetch, since git does not check those of a bundle (at least before 2.46). */
async function checkObjects(gitDir: string, signal: AbortSignal): Promise<void> {
  const folder = join(gitDir, 'objects', 'pack');
  for (const name of await readdir(folder)) {
    if (!name.endsWith('.pack')) continue;
    await runGit(['index-pack', '--verify', '--strict', join(folder, name)], {
      gitDir,
      signal,
      cpuMs: CPU_MS,
    });
  }
}

/**
 * Creates a repository from the branches and tags of a bundle. Objects are checked before it becomes visible. Durable
 * when it fulfils.
 * @param file path of the bundle
 * @param options `defaultBranch`: HEAD if the bundle contains it, else its first branch; `maxBytes` of its objects
 * @throws GitError for an invalid bundle, `conflict` if `to` exists, `aborted`
 */
export async function importBundle(
  file: string,
  to: string,
  { defaultBranch, maxBytes, signal }: { defaultBranch: string; maxBytes: number; signal: AbortSignal },
): Promise<void> {
  const { stdout } = await runGit(['bundle', 'list-heads', file], { signal, maxOutput: MAX_REFS });
  const lines = stdout.toString().split('\n');
  const refs = lines
    .map((line) => line.slice(line.indexOf(' ') + 1))
    .filter((ref) => /^refs\/(?:heads|tags)\/./.test(ref));
  const taken = refs.filter(mayTakeOver);
  const format = /^[0-9a-f]{64} /.test(lines[0] ?? '') ? 'sha256' : 'sha1';
  const heads = taken.filter((ref) => ref.startsWith('refs/heads/'));
  const defaultRef = `refs/heads/${defaultBranch}`;
  await makeRepository(to, {
    head: `ref: ${heads.includes(defaultRef) ? defaultRef : (heads[0] ?? defaultRef)}\n`,
    format,
    fill: async (temporary) => {
      if (taken.length === 0) return;
      const only = ['-c', 'protocol.allow=never', '-c', 'protocol.file.allow=always', '-c', 'fetch.unpackLimit=1'];
      await runGit([...only, ...FETCH, '--stdin', '--end-of-options', file], {
        gitDir: temporary,
        signal,
        cpuMs: CPU_MS,
        fileBytes: maxBytes,
        input: `${taken.map((ref) => `+${ref}:${ref}`).join('\n')}\n`,
      });
      await checkObjects(temporary, signal);
    },
  });
}
