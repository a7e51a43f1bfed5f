import type { Updateable } from 'kysely';
import type { Db } from '../../../../db/db.schema.ts';
import type { MergeRequest, MergeRequestsTable, MergeStatus } from '../../../../db/tables/merge-requests.table.ts';
import type { Project } from '../../../../db/tables/projects.table.ts';
import type { Deps } from '../../../../deps.ts';
import { isUnreadable } from '../../../../git/common/index.ts';
import { mergeCommits } from '../../../../git/merge/index.ts';
import { repositoryOf } from '../../../../repositories/change-refs.ts';
import { addParticipantTodos } from '../../todos/todos.background.ts';
import { tipOf } from '../lifecycle/branches.ts';
import { projectOf } from '../lifecycle/merge-requests.projects.ts';
import { firstFailure } from './mergeability.checks.ts';
import { mergeFacts } from './mergeability.facts.ts';
import type { DetailedMergeStatus } from './mergeability.statuses.ts';

/** Maximum number of attempts while pushes keep interfering. */
const MAX_ROUNDS = 5;

/** Statuses that follow directly from a stored one, without further checks. */
const UNSETTLED: Partial<Record<MergeStatus, DetailedMergeStatus>> = {
  preparing: 'preparing',
  checking: 'checking',
  cannot_be_merged_rechecking: 'checking',
  unchecked: 'unchecked',
};

/** Stored statuses from which a check starts, and the status during the check. */
const CHECKING: Partial<Record<MergeStatus, MergeStatus>> = {
  unchecked: 'checking',
  checking: 'checking',
  cannot_be_merged_recheck: 'cannot_be_merged_rechecking',
  cannot_be_merged_rechecking: 'cannot_be_merged_rechecking',
};

/**
 * `detailed_merge_status` of a page of merge requests, by id: the first check that fails (part 1, 4.4). A fixed number
 * of queries; git runs only for those that pass all other checks, mostly from caches.
 * @param options `damaged`: status for merge requests with an unreadable repository, which is an error otherwise
 */
export async function detailedMergeStatuses(
  deps: Deps,
  db: Db,
  mergeRequests: readonly MergeRequest[],
  options: { damaged?: DetailedMergeStatus } = {},
): Promise<Map<number, DetailedMergeStatus>> {
  const statuses = new Map<number, DetailedMergeStatus>();
  for (const { id, merge_status } of mergeRequests) statuses.set(id, UNSETTLED[merge_status] ?? 'mergeable');
  const settled = mergeRequests.filter(({ merge_status }) => UNSETTLED[merge_status] === undefined);
  for (const facts of await mergeFacts(deps, db, settled)) {
    const failed = await firstFailure(deps, facts, { git: true }).catch((error: unknown) => {
      if (options.damaged !== undefined && isUnreadable(error)) return options.damaged;
      throw error;
    });
    if (failed !== null) statuses.set(facts.mergeRequest.id, failed);
  }
  return statuses;
}

/**
 * Checks whether git can merge the head of an open merge request into its target branch, and stores the result. Does
 * nothing if the result is known, or while the head is not in the target repository. Starts again after a concurrent
 * push.
 * @returns the updated merge request
 */
export async function checkMergeability(deps: Deps, mergeRequest: MergeRequest): Promise<MergeRequest> {
  const { id, project_id } = mergeRequest;
  const target = await projectOf(deps.db, project_id);
  let current = mergeRequest;
  for (let round = 0; round < MAX_ROUNDS && target !== undefined; round += 1) {
    current = (await reload(deps.db, id)) ?? current;
    const checking = CHECKING[current.merge_status];
    if (checking === undefined || current.state !== 'opened' || !(await hasHead(deps, target, current))) break;
    const started = await move(deps.db, current, { merge_status: checking });
    if (started !== undefined) current = (await checkOnce(deps, target, started)) ?? current;
  }
  return current;
}

/** @returns the merge request with its new status; undefined if a branch moved in the meantime */
async function checkOnce(deps: Deps, target: Project, mergeRequest: MergeRequest): Promise<MergeRequest | undefined> {
  const { target_branch } = mergeRequest;
  const tip = await tipOf(deps, target, target_branch);
  const merge_status = (await merges(deps, target, tip, mergeRequest)) ? 'can_be_merged' : 'cannot_be_merged';
  return deps.db.transaction().execute(async (db) => {
    const moved = await move(db, mergeRequest, { merge_status });
    // The row is locked: a push that is recorded later will reset the status to unchecked.
    if ((await tipOf(deps, target, target_branch)) === tip) {
      // The event is recorded once, not again while the status stays.
      const news = mergeRequest.merge_status === 'checking' && merge_status === 'cannot_be_merged';
      if (news && moved !== undefined) {
        await addParticipantTodos(deps, db, moved, 'unmergeable');
        const payload = { merge_request_id: moved.id, project_id: moved.project_id };
        await deps.events.record(db, 'merge_request.unmergeable', payload, { projectId: moved.project_id });
      }
      return moved;
    }
    return move(db, { ...mergeRequest, merge_status }, { merge_status: mergeRequest.merge_status });
  });
}

async function merges(deps: Deps, target: Project, tip: string | null, mergeRequest: MergeRequest): Promise<boolean> {
  const { head_sha, source_branch, source_project_id } = mergeRequest;
  const source = await projectOf(deps.db, source_project_id);
  if (tip === null || head_sha === null || source === undefined) return false;
  if ((await tipOf(deps, source, source_branch)) === null) return false;
  return (await mergeCommits(repositoryOf(deps, target), tip, head_sha)).kind === 'clean';
}

const hasHead = async (deps: Deps, target: Project, { head_sha }: MergeRequest): Promise<boolean> =>
  head_sha === null || (await repositoryOf(deps, target).objects.commit(head_sha)) !== null;

const reload = (db: Db, id: number): Promise<MergeRequest | undefined> =>
  db.selectFrom('merge_requests').selectAll().where('id', '=', id).executeTakeFirst();

/** Updates the row if it is unchanged since it was read; undefined otherwise. */
const move = (
  db: Db,
  { id, head_sha, target_branch, merge_status }: MergeRequest,
  values: Updateable<MergeRequestsTable>,
): Promise<MergeRequest | undefined> =>
  db
    .updateTable('merge_requests')
    .set(values)
    .where('id', '=', id)
    .where('state', '=', 'opened')
    .where('merge_status', '=', merge_status)
    .where('target_branch', '=', target_branch)
    .where((eb) => (head_sha === null ? eb('head_sha', 'is', null) : eb('head_sha', '=', head_sha)))
    .returningAll()
    .executeTakeFirst();
