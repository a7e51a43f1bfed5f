import type { Readable } from 'node:stream';
import { checkOids } from '../common/index.ts';
import { gitOutput } from '../process/index.ts';
import type { Repository } from '../repository/index.ts';

const CPU_MS = 10 * 60_000;
const ARGS = ['format-patch', '--stdout', '--signature=Stithy', '--no-color', '--no-ext-diff', '--no-textconv'];

/**
 * Streams the commits in `to` that are not in `from` as mails for `git am`, oldest first, without merges.
 * @param from null for everything in a single root commit
 * @throws GitError `invalid` for incomplete ids (of the call, not of the stream)
 */
export function mailPatch(repo: Repository, from: string | null, to: string, signal: AbortSignal): Readable {
  checkOids(from === null ? [to] : [from, to]);
  const range = from === null ? ['--root', '--end-of-options', to] : ['--end-of-options', `${from}..${to}`];
  return gitOutput([...ARGS, ...range], { gitDir: repo.dir, cpuMs: CPU_MS, signal });
}
