import type { ChangedVia } from '../../core/change-cause.ts';
import { ApiError } from '../../core/core.errors.ts';
import { environmentFaultOf } from '../../core/environment-fault.ts';
import type { Deps } from '../../deps.ts';
import { GitError } from '../../git/common/index.ts';
import { findRefConflict } from '../../git/refs/index.ts';
import type { Repository } from '../../git/repository/index.ts';
import type { PushCommands, PushedRef } from '../../git/transport/index.ts';
import { type ChangeGuard, changeRefs, inRepositoryQueue } from '../change-refs.ts';
import type { Holder } from '../holder.ts';

/**
 * Maximum number of attempts with groups of refs if the refs cannot all move together. Allows some hundred individual
 * refusals.
 */
const MAX_ATTEMPTS = 1_000;
const TOO_MANY_REFUSED = 'too many refs of this push are refused; push fewer refs at once';
/** Maximum number of new refs that are checked for name conflicts. */
const MAX_EXPLAINED = 1_000;

/** What a push asks for, and by whom. Its facts never change: each stage adds its own to a new, frozen object. */
export interface Push extends PushCommands {
  readonly holder: Holder;
  /** Null for a pusher without a user. */
  readonly userId: number | null;
  readonly via: ChangedVia;
}

/** Makes the guard of some refs of a push. */
export type PushGuard = (updates: readonly PushedRef[], defaultBranch: string | null) => ChangeGuard;

/** A checked push, with the refs that git has not refused. */
export interface CheckedPush extends Push {
  readonly guard: PushGuard;
  /** Whether all refs move or none. */
  readonly atomic: boolean;
}

/** A push whose refs have moved. */
export interface MovedPush extends CheckedPush {
  /** In the order of the updates: null for a moved ref, else why it was not. */
  readonly reasons: readonly (string | null)[];
}

/** Moves the refs of a push, atomically or one by one as the client requested. @throws RepositoryReadOnly */
export async function movePushedRefs(deps: Deps, push: CheckedPush): Promise<MovedPush> {
  const { holder, userId, via, updates, pushOptions, atomic, guard } = push;
  const reasons = await inRepositoryQueue(deps, holder, async (repo) => {
    const defaultBranch = await repo.refs.head();
    const apply = async (some: readonly PushedRef[]): Promise<string | null> => {
      try {
        const checkAgain = guard(some, defaultBranch);
        await changeRefs(deps, repo, { holder, userId, updates: some, via, pushOptions, guard: checkAgain });
        return null;
      } catch (error) {
        if (error instanceof ApiError) return error.message;
        const reason = error instanceof GitError ? await explain(repo, some, error) : null;
        if (reason !== null) return reason;
        deps.log.log('error', 'a push could not move its refs', {
          [`${holder.type}_id`]: holder.id,
          error: String(error),
        });
        return {
          disk_full: 'the disk of the server is full',
          unavailable: 'the database cannot be reached; try again',
          denied: 'the server cannot read or write the files of the repository',
          no_git: 'git cannot be found on the server',
          none: 'failed to update ref',
        }[environmentFaultOf(error) ?? 'none'];
      }
    };
    const reason = await apply(updates);
    if (reason === null || atomic || updates.length === 1) return updates.map(() => reason);
    // Deletions come first: removing `feature` may allow `feature/x`.
    const order = updates.map((_, index) => index).sort((a, b) => rank(updates[a]!) - rank(updates[b]!));
    const reasons: (string | null)[] = [];
    let attempts = 0;
    for (const groups = halves(order); groups.length > 0; ) {
      const group = groups.shift()!;
      attempts += 1;
      const reason = attempts > MAX_ATTEMPTS ? TOO_MANY_REFUSED : await apply(group.map((index) => updates[index]!));
      // Halves a failed group, so that a few refused refs do not affect the others.
      if (reason !== null && group.length > 1 && attempts <= MAX_ATTEMPTS) groups.unshift(...halves(group));
      else for (const index of group) reasons[index] = reason;
    }
    return reasons;
  });
  return Object.freeze({ ...push, reasons });
}

const halves = <T>(all: readonly T[]): T[][] => {
  const half = Math.ceil(all.length / 2);
  return [all.slice(0, half), all.slice(half)];
};

/** Parent paths of a ref; no other ref may have one of these names. */
const foldersOf = (ref: string): string[] => {
  const parts = ref.split('/');
  return parts.slice(2, -1).map((_, at) => parts.slice(0, at + 3).join('/'));
};

const rank = (update: PushedRef): number => (update.new === null ? 0 : 1);

/** Returns the reason why refs could not be moved, or null if the push is not the cause. */
async function explain(repo: Repository, updates: readonly PushedRef[], { code }: GitError): Promise<string | null> {
  if (code !== 'conflict' && code !== 'invalid') return null;
  const names = new Set(updates.map(({ ref }) => ref));
  const below = new Map(updates.flatMap(({ ref }) => foldersOf(ref).map((folder) => [folder, ref] as const)));
  for (const { ref } of updates.filter(({ old }) => old === null).slice(0, MAX_EXPLAINED)) {
    const beside = below.get(ref) ?? foldersOf(ref).find((folder) => names.has(folder));
    const other = (await findRefConflict(repo.refs, ref)) ?? beside;
    if (other !== undefined) return `'${other}' exists; cannot create '${ref}'`;
  }
  return code === 'conflict' ? 'the ref was changed meanwhile; fetch and try again' : 'funny refname or not a commit';
}
