import type { Readable } from 'node:stream';
import { checkOids } from './arguments.ts';
import type { Repository } from './git.repository.ts';
import { gitOutput } from './output.ts';

/** Bytes that a streamed patch usually takes at most, git and its two files included. */
export const PATCH_MEMORY: number = 32 * 1024 * 1024;

const CPU_MS = 10 * 60_000;
const PATCH = ['diff-tree', '-r', '-p', '--find-renames=30%', '--no-ext-diff', '--no-textconv', '--no-color'];
const PREFIXES = ['--submodule=short', '--src-prefix=a/', '--dst-prefix=b/'];

/**
 * What changed from one commit to another as git prints it, of any size, streamed.
 * Serves `GET /projects/:id/merge_requests/:iid/raw_diffs`.
 * @throws GitError `invalid` for incomplete ids (of the call, not of the stream)
 */
export function rawPatch(repo: Repository, from: string, to: string, signal: AbortSignal): Readable {
  checkOids([from, to]);
  const args = [...PATCH, ...PREFIXES, '--end-of-options', from, to, '--'];
  return gitOutput(args, { gitDir: repo.dir, cpuMs: CPU_MS, signal });
}
