import type { UserCaller } from '../../../../access/caller.ts';
import { type CallerInProject, callerInProject } from '../../../../access/caller-in-project.ts';
import { jobCaller } from '../../../../access/job-caller.ts';
import { revalidateCaller } from '../../../../access/revalidate.ts';
import { timestamp } from '../../../../core/clock.ts';
import { ApiError, conflict, forbidden, recordNotFound } from '../../../../core/core.errors.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import { inTransaction } from '../../../../db/transactions.ts';
import type { Deps } from '../../../../deps.ts';
import { GitError } from '../../../../git/common/index.ts';
import { rebaseCommits } from '../../../../git/merge/index.ts';
import { jobKind } from '../../../../jobs/jobs.kinds.ts';
import { changeRefs, inRepositoryQueue, repositoryOf } from '../../../../repositories/change-refs.ts';
import { collaborationBranches } from '../../../../repositories/collaboration.ts';
import { copyCommit } from '../../../../repositories/copy-commit.ts';
import { ofProject } from '../../../../repositories/holder.ts';
import { refuseByVerdict, requirePushRules } from '../../../../repositories/push-rules/check-push-rules.ts';
import { RepositoryReadOnly } from '../../../../repositories/read-only.ts';
import {
  canPushTo,
  loadProtections,
  loadRefRules,
  protectionsOf,
} from '../../../../repositories/repository.protections.ts';
import { tipOf } from '../lifecycle/branches.ts';
import { lockMergeRequest } from '../lifecycle/merge-requests.lock.ts';
import { methodNotAllowed } from './refusals.ts';

/** Upper bound of the duration of a rebase; a longer one belongs to a dead process. */
const REBASE_TAKES_MS = 15 * 60_000;
const MAX_TRIES = 3;
const CONFLICT = 'Rebase failed: Rebase locally, resolve all conflicts, then push the branch.';
const FAILED = 'Rebase failed: Please try again.';

interface Rebase {
  merge_request_id: number;
  user_id: number;
  skip_ci: boolean;
}

const REBASE = jobKind<Rebase>('merging.rebase', { lane: 'git' });

/**
 * Enqueues a rebase of the source branch onto the target branch.
 * @throws ApiError 405 if it is not open, 409 while another one runs
 */
export async function requestRebase(deps: Deps, caller: UserCaller, row: MergeRequest, skipCi: boolean): Promise<void> {
  const { id } = row;
  await inTransaction(deps.db, async (db) => {
    const locked = await lockMergeRequest(db, id);
    if (locked === undefined) throw recordNotFound();
    if (locked.state !== 'opened') throw methodNotAllowed();
    const since = deps.clock.now().getTime() - REBASE_TAKES_MS;
    if (locked.rebase_started_at !== null && Date.parse(locked.rebase_started_at) > since) {
      throw conflict(
        'Failed to enqueue the rebase operation, possibly due to a long-lived transaction. Try again later.',
      );
    }
    const rebase_started_at = timestamp(deps.clock);
    await db.updateTable('merge_requests').set({ rebase_started_at, merge_error: null }).where('id', '=', id).execute();
    const payload: Rebase = { merge_request_id: id, user_id: caller.user.id, skip_ci: skipCi };
    await deps.jobs.enqueue(db, REBASE, payload, { uniqueKey: id, projectId: row.project_id });
  });
}

/** Registers the job of `requestRebase`. */
export function registerRebase(deps: Deps): void {
  deps.jobs.register(REBASE, async (payload, { signal }) => {
    const { merge_request_id: id } = payload;
    const row = await deps.db.selectFrom('merge_requests').selectAll().where('id', '=', id).executeTakeFirst();
    if (row === undefined || row.rebase_started_at === null) return;
    const merge_error = row.state === 'opened' ? await attempt(deps, row, payload, signal) : null;
    await deps.db
      .updateTable('merge_requests')
      .set({ rebase_started_at: null, merge_error })
      .where('id', '=', id)
      .execute();
  });
}

/** @returns the message of a failure; null on success */
async function attempt(deps: Deps, row: MergeRequest, payload: Rebase, signal: AbortSignal): Promise<string | null> {
  try {
    return await rebase(deps, row, payload, signal);
  } catch (error) {
    // After a stop, the job continues at the next start; a repository that is being moved becomes writable soon.
    if (signal.aborted || error instanceof RepositoryReadOnly) throw error;
    if (error instanceof ApiError) return `Rebase failed: ${error.message}`;
    if (!(error instanceof GitError)) throw error;
    deps.log.log('warn', 'a rebase failed', { merge_request_id: row.id, error: error.message });
    return FAILED;
  }
}

async function rebase(deps: Deps, row: MergeRequest, payload: Rebase, signal: AbortSignal): Promise<string | null> {
  const caller = await jobCaller(deps, payload.user_id);
  if (caller === undefined) return FAILED;
  const actor = await sourceActor(deps, caller, row);
  const target = (await callerInProject(deps, caller, row.project_id))!.project;
  const repo = repositoryOf(deps, actor.project);
  const ref = `refs/heads/${row.source_branch}`;
  const { user } = caller;
  const committer = { name: user.name, email: user.commit_email ?? user.email, date: deps.clock.now() };
  for (let tries = 1; ; tries += 1) {
    const head = await repo.refs.resolve(ref);
    const onto = await tipOf(deps, target, row.target_branch);
    if (head === null || onto === null) return FAILED;
    if (target.id !== actor.project.id) await copyCommit(repositoryOf(deps, target), repo, onto);
    const rebased = await rebaseCommits(repo, { head, onto, committer }, signal);
    if (rebased.kind !== 'done') return CONFLICT;
    if (rebased.oid === head) return null;
    const updates = [{ ref, old: head, new: rebased.oid }];
    const judged = await requirePushRules(deps, repo, (await loadRefRules(deps, actor.project.id)).pushRule, {
      userId: user.id,
      changes: updates,
      defaultBranch: await repo.refs.head(),
      made: { oids: 'all', from: 'commits' },
      // Objects of the target branch already exist in the repository.
      known: [onto],
    });
    try {
      await inRepositoryQueue(deps, actor.project, () =>
        changeRefs(deps, repo, {
          holder: ofProject(actor.project),
          userId: user.id,
          updates,
          pushOptions: payload.skip_ci ? ['ci.skip'] : [],
          guard: async (deps) => {
            await requireSame(deps, caller, row);
            await refuseByVerdict(deps, judged, (await loadRefRules(deps, actor.project.id)).pushRule);
          },
        }),
      );
      return null;
    } catch (error) {
      // A concurrent push moved the branch: rebase its new head.
      if (!(error instanceof GitError) || error.code !== 'conflict' || tries === MAX_TRIES) throw error;
    }
  }
}

/** Refuses a rebase that is obsolete: the merge request was merged or retargeted, or the caller lost the right. */
async function requireSame(deps: Deps, caller: UserCaller, { id, target_branch }: MergeRequest): Promise<void> {
  const now = await lockMergeRequest(deps.db, id);
  if (now?.state !== 'opened') throw methodNotAllowed();
  if (now.target_branch !== target_branch) throw conflict('the target branch was changed in the meantime');
  await sourceActor(deps, await revalidateCaller(deps, caller), now);
}

/**
 * Authorizes the caller to force-push the source branch: by rights in the source project, or because the author allows
 * users who may merge to push.
 * @throws ApiError 403
 */
export async function sourceActor(
  deps: Deps,
  caller: UserCaller,
  row: MergeRequest,
): Promise<CallerInProject<UserCaller>> {
  const target = await callerInProject(deps, caller, row.project_id);
  const actor = row.source_project_id === null ? undefined : await callerInProject(deps, caller, row.source_project_id);
  if (actor === undefined || target === undefined || (await tipOf(deps, actor.project, row.source_branch)) === null) {
    throw forbidden('Source branch does not exist');
  }
  const protections = await loadProtections(deps, actor.project.id);
  const collaborates = actor.permissions.can('push_code') ? undefined : await collaborationBranches(deps, actor);
  const pushes = await canPushTo(
    deps,
    { ...actor, ...(collaborates && { collaborates }) },
    protections,
    row.source_branch,
  );
  if (!pushes || !target.permissions.can('read_code')) throw forbidden('Cannot push to source branch');
  const matching = protectionsOf(protections, 'branch', row.source_branch);
  if (matching.some(({ allow_force_push }) => allow_force_push === 0)) {
    throw forbidden('Source branch is protected from force push');
  }
  return actor;
}
