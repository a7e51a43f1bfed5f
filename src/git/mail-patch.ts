import type { Readable } from 'node:stream';
import { checkOids } from './arguments.ts';
import type { Repository } from './git.repository.ts';
import { gitOutput } from './output.ts';

const CPU_MS = 10 * 60_000;
const ARGS = ['format-patch', '--stdout', '--signature=Stithy', '--no-color', '--no-ext-diff', '--no-textconv'];

/**
 * The commits that `to` has and `from` has not as mails, oldest first, as `git am` takes them; merges are left out.
 * @param from null for all of the one commit without a parent
 * @throws GitError `invalid` for incomplete ids (of the call, not of the stream)
 */
export function mailPatch(repo: Repository, from: string | null, to: string, signal: AbortSignal): Readable {
  checkOids(from === null ? [to] : [from, to]);
  const range = from === null ? ['--root', '--end-of-options', to] : ['--end-of-options', `${from}..${to}`];
  return gitOutput([...ARGS, ...range], { gitDir: repo.dir, cpuMs: CPU_MS, signal });
}
