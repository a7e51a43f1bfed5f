import type { Readable } from 'node:stream';
import { checkOids } from '../common/index.ts';
import { gitOutput } from '../process/index.ts';
import type { Repository } from '../repository/index.ts';

/** Usual maximum memory in bytes of a streamed patch, including git and two files. */
export const PATCH_MEMORY: number = 32 * 1024 * 1024;

const CPU_MS = 10 * 60_000;
const PATCH = ['diff-tree', '-r', '-p', '--find-renames=30%', '--no-ext-diff', '--no-textconv', '--no-color'];
const PREFIXES = ['--submodule=short', '--src-prefix=a/', '--dst-prefix=b/'];

/**
 * Streams the changes between two commits in git's format, of any size. Serves `GET
 * /projects/:id/merge_requests/:iid/raw_diffs`.
 * @throws GitError `invalid` for incomplete ids (of the call, not of the stream)
 */
export function rawPatch(repo: Repository, from: string, to: string, signal: AbortSignal): Readable {
  checkOids([from, to]);
  const args = [...PATCH, ...PREFIXES, '--end-of-options', from, to, '--'];
  return gitOutput(args, { gitDir: repo.dir, cpuMs: CPU_MS, signal });
}
