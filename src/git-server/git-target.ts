import type { Caller } from '../access/caller.ts';
import type { Deps } from '../deps.ts';
import type { Holder } from '../repositories/holder.ts';
import type { MovedPush, Push, PushGuard } from '../repositories/pushes/move-pushed-refs.ts';
import type { ProjectAccess } from './project-access.ts';

/** What an authorized caller clones from or pushes to: the repository of a project, a snippet or a wiki. */
export interface GitTarget {
  readonly caller: Caller;
  /** Owner of the repository. */
  readonly holder: Holder;
  /**
   * Whether the repository is being imported or moved. New pushes are refused at once; a push in progress is refused as
   * a whole.
   */
  readonly readOnly: boolean;
  /** Its project, for what only these have, such as LFS objects. */
  readonly inProject: ProjectAccess | null;
  /** Maximum size of a push in bytes, if below that of the server. */
  readonly maxPushBytes: number;
  /**
   * Checks a push before its objects enter the repository. One refused ref refuses the whole push.
   * @returns the refusal, else the guard that checks rights again: the pusher may lose them while the push waits
   * @throws GitError
   */
  check(deps: Deps, push: Push): Promise<string | PushGuard>;
  /** Applies the options of a push whose refs have moved. Never fails. @returns text for the pusher's terminal */
  after(deps: Deps, push: MovedPush): Promise<string>;
}
