import { encodeBytes, isValidBranchName } from '../common/index.ts';
import { makeRepository } from '../repository/index.ts';
import { mustRunRemote } from './git.remote.ts';
import { RemoteError } from './remote-error.ts';
import { listRemote } from './remote-refs.ts';
import type { RemoteSource } from './remote-source.ts';

/** Maximum number of invalid names that are skipped one by one. */
const MAX_LEFT_OUT = 1_000;
/** Common options of fetches: progress shows that the transfer is alive, and submodules are not followed. */
export const FETCH = [
  'fetch',
  '--progress',
  '--no-tags',
  '--no-write-fetch-head',
  '--no-auto-maintenance',
  '--no-recurse-submodules',
] as const;

/** Whether a branch or tag of another server has a valid name here. @param ref full name */
export const mayTakeOver = (ref: string): boolean => isValidBranchName(ref.replace(/^refs\/(?:heads|tags)\//, ''));

/**
 * Copies branches and tags from another server into a new repository. Objects are checked on receipt; submodules are
 * not followed. Durable when it fulfils.
 * @param options `defaultBranch`: HEAD if the other server names no valid branch; `signal` aborts the copy;
 *   `maxBytes` of the received pack
 * @throws RemoteError for every failure of the other server; GitError `conflict` if `to` exists, `timeout`, `aborted`
 */
export async function importRepository(
  source: RemoteSource,
  to: string,
  options: { defaultBranch: string; maxBytes: number; signal?: AbortSignal },
): Promise<void> {
  const { defaultBranch, signal, maxBytes } = options;
  const { head, format, refs } = await listRemote(source, { signal, head: true });
  const branch = head !== null && isValidBranchName(head) ? head : defaultBranch;
  const leftOut = [...refs.keys()].filter((ref) => !mayTakeOver(ref));
  if (leftOut.length > MAX_LEFT_OUT) throw new RemoteError('objects');
  await makeRepository(to, {
    head: `ref: refs/heads/${branch}\n`,
    format,
    fill: async (temporary) => {
      if (refs.size === 0) return;
      const refspecs = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*', ...leftOut.map((ref) => `^${ref}`)];
      await mustRunRemote(source, (url) => [...FETCH, '--stdin', '--end-of-options', url], {
        gitDir: temporary,
        signal,
        fileBytes: maxBytes,
        input: encodeBytes(`${refspecs.join('\n')}\n`),
      });
    },
  });
}
