import { HEADS } from '../../git/ref-folders.ts';
import type { PushedRef } from '../../git/transport/transport.push.ts';

/** A branch that a push has made or moved. */
export interface PushedBranch {
  name: string;
  /** Its new head. */
  head: string;
}

/** The branches among the refs of a push, deleted ones and the default branch left out. */
export const pushedBranches = (updates: readonly PushedRef[], defaultBranch: string | null): PushedBranch[] =>
  updates.flatMap(({ ref, new: head }) => {
    const name = ref.slice(HEADS.length);
    return head !== null && ref.startsWith(HEADS) && name !== defaultBranch ? [{ name, head }] : [];
  });
