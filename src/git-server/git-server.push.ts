import type { Caller } from '../access/caller.ts';
import type { Deps } from '../deps.ts';
import { GitError } from '../git/common/index.ts';
import type { ReceivePush } from '../git/transport/index.ts';
import { movePushedRefs, type Push } from '../repositories/pushes/move-pushed-refs.ts';
import { READ_ONLY } from '../repositories/read-only.ts';
import type { GitTarget } from './git-target.ts';

/** Refusal for a push that requires more work than allowed, such as a few trees that expand to many files. */
const TOO_LARGE = 'The push is too large to be checked. Push it in several parts.';

/** The user who pushes; with a deploy key, the user who created the key. */
const pusherOf = ({ user, credential }: Caller): number | null =>
  user?.id ?? (credential.kind === 'deploy_key' ? credential.key.user_id : null);

/** Checks one push of an authorized caller, moves its refs, then applies its options. */
export const receiverOf =
  (deps: Deps, target: GitTarget): ReceivePush =>
  async (commands) => {
    const { caller, holder, readOnly } = target;
    const via = caller.credential.kind === 'job_token' ? 'job' : 'git';
    const push: Push = Object.freeze({ ...commands, holder, userId: pusherOf(caller), via });
    const verdict = readOnly
      ? READ_ONLY
      : await target.check(deps, push).catch((error: unknown) => {
          if (error instanceof GitError && error.permanent) return TOO_LARGE;
          throw error;
        });
    if (typeof verdict === 'string') return { ok: false, message: `Stithy: ${verdict}` };
    const checked = Object.freeze({ ...push, guard: verdict });
    return {
      ok: true,
      move: async (updates, atomic) => {
        const moved = await movePushedRefs(deps, Object.freeze({ ...checked, updates, atomic }));
        return { reasons: moved.reasons, message: await target.after(deps, moved) };
      },
    };
  };
