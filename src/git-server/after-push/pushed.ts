import { HEADS } from '../../git/refs/index.ts';
import type { PushedRef } from '../../git/transport/index.ts';

/** A branch created or updated by a push. */
export interface PushedBranch {
  name: string;
  /** Its new commit. */
  head: string;
}

/** Branches among the refs of a push, without deleted branches and the default branch. */
export const pushedBranches = (updates: readonly PushedRef[], defaultBranch: string | null): PushedBranch[] =>
  updates.flatMap(({ ref, new: head }) => {
    const name = ref.slice(HEADS.length);
    return head !== null && ref.startsWith(HEADS) && name !== defaultBranch ? [{ name, head }] : [];
  });
