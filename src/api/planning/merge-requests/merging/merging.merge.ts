import { timestamp } from '../../../../core/clock.ts';
import { conflict } from '../../../../core/core.errors.ts';
import { environmentFaultOf } from '../../../../core/environment-fault.ts';
import type { Project } from '../../../../db/tables/projects.table.ts';
import type { PushRule } from '../../../../db/tables/push-rules.table.ts';
import type { User } from '../../../../db/tables/users.table.ts';
import type { Deps } from '../../../../deps.ts';
import { GitError } from '../../../../git/common/index.ts';
import { type BranchMergeResult, createMerge } from '../../../../git/merge/index.ts';
import type { NewIdentity } from '../../../../git/objects/index.ts';
import type { Repository } from '../../../../git/repository/index.ts';
import { changeRefs, inRepositoryQueue } from '../../../../repositories/change-refs.ts';
import { ofProject } from '../../../../repositories/holder.ts';
import { checkPushRules, type PushRuleVerdict } from '../../../../repositories/push-rules/check-push-rules.ts';
import { RepositoryReadOnly } from '../../../../repositories/read-only.ts';
import { type LockSnapshot, refuseNewerLocks, snapshotLocks } from '../../../../repositories/repository.lfs-locks.ts';
import { repositorySizeRefusal } from '../../../../settings/repository-size-limit.ts';
import { settingsOf } from '../../../spaces/index.ts';
import { changesLockedPaths } from '../mergeability/git-checks.ts';
import { mergeFacts } from '../mergeability/mergeability.facts.ts';
import { requireMerger } from './actor.ts';
import { isStillLocked, lockForMerge, type MergeOrder, unlock, unlockLater } from './merging.lock.ts';
import { mergeMessage, squashMessage } from './merging.messages.ts';
import { CannotBeMerged, cannotBeMerged } from './refusals.ts';
import { removeSourceBranch } from './remove-source.ts';

const MAX_TRIES = 10;
const MERGE_ERROR = 'The source branch can no longer be merged into the target branch.';

/** A merge in progress. */
interface Merge extends MergeOrder {
  target: Project;
  pushRule: PushRule | null;
}

/**
 * Merges exactly the head of `mergeRequest` into exactly its target branch, or nothing: locks the merge request,
 * creates the commits on the newest tip of the target branch, and moves the branch together with the state. A failure
 * leaves it open.
 * @throws ApiError 401 if the caller may no longer merge into the branch, 405, 409, 422 `Branch cannot be merged`;
 *   RepositoryReadOnly, which keeps an auto-merge; GitError if git fails
 */
export async function mergeNow(deps: Deps, order: MergeOrder): Promise<void> {
  const { caller } = order;
  const { id } = order.mergeRequest;
  const taken = { id, locked_at: timestamp(deps.clock) };
  /** Runs `work`; if the database is unavailable, reopens the merge request later. @throws whatever `work` throws */
  const orUnlock = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      // The connection may have been lost after the commit.
      if (environmentFaultOf(error) !== null) unlockLater(deps, taken);
      throw error;
    }
  };
  const { target, pushRule, locked, stood } = await orUnlock(lockForMerge(deps, order, taken.locked_at));
  try {
    const merge = { ...order, target, pushRule, mergeRequest: locked };
    await inRepositoryQueue(deps, target, (repo) => mergeInto(deps, repo, merge));
  } catch (error) {
    const reason = error instanceof CannotBeMerged ? (error.reason ?? MERGE_ERROR) : null;
    // A repository that is being moved becomes writable soon.
    await orUnlock(unlock(deps, locked, reason, error instanceof RepositoryReadOnly ? stood : undefined));
    throw error;
  }
  try {
    await removeSourceBranch(deps, id, caller.user.id);
  } catch (error) {
    // The merge is done; a job retries the removal of the branch.
    deps.log.log('warn', 'the source branch of a merged merge request was not removed', {
      merge_request_id: id,
      error: String(error),
    });
  }
}

/** Tries again on the new tip if another process moves the target branch in the meantime. */
async function mergeInto(deps: Deps, repo: Repository, order: Merge): Promise<void> {
  const ref = `refs/heads/${order.mergeRequest.target_branch}`;
  for (let attempt = 1; ; attempt += 1) {
    const tip = await repo.refs.resolve(ref);
    if (tip === null) throw cannotBeMerged();
    const made = await makeCommits(deps, repo, order, tip);
    if (made.kind !== 'merged') throw cannotBeMerged();
    const judged = await checkPushRules(deps, repo, order.pushRule, {
      userId: order.caller.user.id,
      changes: [{ ref, old: tip, new: made.tip }],
      defaultBranch: await repo.refs.head(),
      via: 'api',
      made: { oids: [made.mergeCommit, made.squashCommit], from: 'commits' },
    });
    const full = repositorySizeRefusal(deps, order.target, 'merge');
    if (full !== null) throw cannotBeMerged(full);
    if (judged.reason !== null) throw cannotBeMerged(judged.reason);
    const locks = await snapshotLocks(deps, order.target);
    const [facts] = await mergeFacts(deps, deps.db, [order.mergeRequest]);
    if (facts === undefined || (await changesLockedPaths(deps, facts))) throw cannotBeMerged();
    try {
      await moveTarget(deps, repo, order, { ref, old: tip, made, locks, judged });
      return;
    } catch (error) {
      if (!(error instanceof GitError) || error.code !== 'conflict') throw error;
      if (attempt === MAX_TRIES) throw conflict('409 Conflict: Resource lock');
    }
  }
}

async function makeCommits(deps: Deps, repo: Repository, order: Merge, tip: string): Promise<BranchMergeResult> {
  const { mergeRequest, target, caller, params } = order;
  const settings = settingsOf(target);
  const head = mergeRequest.head_sha!;
  const subject = { mergeRequest, target, merger: caller.user, tip, head, squash: false };
  const squashes =
    settings.squash_option === 'always' || (settings.squash_option !== 'never' && params.squash === true);
  const author = await deps.db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', mergeRequest.author_id)
    .executeTakeFirstOrThrow();
  return createMerge(repo, {
    tip,
    head,
    method: settings.merge_method,
    squashMessage: squashes
      ? params.squash_commit_message || (await squashMessage(deps, subject, settings.squash_commit_template))
      : null,
    mergeMessage: params.merge_commit_message || (await mergeMessage(deps, subject, settings.merge_commit_template)),
    author: identityOf(deps, author),
    committer: identityOf(deps, caller.user),
  });
}

const identityOf = ({ clock }: Deps, user: User): NewIdentity => ({
  name: user.name,
  email: user.commit_email ?? user.email,
  date: clock.now(),
});

async function moveTarget(
  deps: Deps,
  repo: Repository,
  { target, mergeRequest, caller }: Merge,
  move: {
    ref: string;
    old: string;
    made: Extract<BranchMergeResult, { kind: 'merged' }>;
    locks: LockSnapshot;
    judged: PushRuleVerdict;
  },
): Promise<void> {
  const { tip, mergeCommit, squashCommit } = move.made;
  await changeRefs(deps, repo, {
    holder: ofProject(target),
    userId: caller.user.id,
    updates: [{ ref: move.ref, old: move.old, new: tip }],
    cause: {
      type: 'merge',
      merge_request_id: mergeRequest.id,
      head_sha: mergeRequest.head_sha!,
      merge_commit_sha: mergeCommit,
      squash_commit_sha: squashCommit,
    },
    guard: async (deps) => {
      if (!(await isStillLocked(deps.db, mergeRequest))) throw cannotBeMerged();
      const { pushRule } = await requireMerger(deps, caller, mergeRequest);
      const reason = await move.judged.revalidate(deps, pushRule);
      if (reason !== null) throw cannotBeMerged(reason);
      await refuseNewerLocks(deps, move.locks, mergeRequest.author_id);
    },
  });
}
