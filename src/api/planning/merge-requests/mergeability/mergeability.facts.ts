import { effectivePlan, includesPlan } from '../../../../access/access.plan.ts';
import type { Db } from '../../../../db/db.schema.ts';
import { type Ids, prepared } from '../../../../db/prepared.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { Pipeline } from '../../../../db/tables/pipelines.table.ts';
import type { Project } from '../../../../db/tables/projects.table.ts';
import type { Deps } from '../../../../deps.ts';
import type { ProjectSettings } from '../../../spaces/index.ts';
import { approvalsLeft } from '../approvals/approvals.state.ts';
import { projectsOfMerges } from '../lifecycle/projects-of-merges.ts';
import { checkStatuses } from './external-status-checks.statuses.ts';
import { headPipelines } from './head-pipelines.ts';

/** Data from the database that determines whether a merge request can be merged. */
export interface MergeFacts {
  mergeRequest: MergeRequest;
  /** Target and source project; the source is null if it was deleted. */
  target: Project;
  source: Project | null;
  settings: ProjectSettings;
  requestedChanges: boolean;
  /** Number of missing approvals. */
  approvalsLeft: number;
  /** Whether the project requires all external status checks to pass and one has not. */
  statusChecksLeft: boolean;
  /** Whether its newest version has no commit. */
  empty: boolean;
  unresolvedDiscussions: boolean;
  /** Head pipeline. */
  pipeline: Pipeline | undefined;
  /** Paths that users other than the author have locked. */
  lockedPaths: ReadonlySet<string>;
}

const MAX_LOCKS = 20_000;

/** Loads the facts about a page of merge requests, in a fixed number of queries. */
export async function mergeFacts(deps: Deps, db: Db, mergeRequests: readonly MergeRequest[]): Promise<MergeFacts[]> {
  if (mergeRequests.length === 0) return [];
  const ofMerges = await projectsOfMerges(
    deps,
    db,
    mergeRequests.flatMap(({ project_id, source_project_id }) => [project_id, source_project_id ?? 0]),
  );
  const projects = new Map([...ofMerges].filter(([, { project }]) => project.pending_delete === 0));
  const wanting = (setting: keyof ProjectSettings) =>
    mergeRequests.filter(({ project_id }) => projects.get(project_id)?.settings[setting] === true);
  const changes = await withRequestedChanges(db, mergeRequests);
  const left = await approvalsLeft(deps, db, mergeRequests);
  const unchecked = await withChecksLeft(deps, db, wanting('only_allow_merge_if_all_status_checks_passed'));
  const empty = await withoutCommits(db, mergeRequests);
  const unresolved = await withUnresolved(db, wanting('only_allow_merge_if_all_discussions_are_resolved'));
  const pipelines = await headPipelines(db, wanting('only_allow_merge_if_pipeline_succeeds'));
  const locks = await locksOf(db, mergeRequests);
  return mergeRequests.flatMap((mergeRequest) => {
    const { id, project_id, source_project_id, author_id } = mergeRequest;
    const target = projects.get(project_id);
    if (target === undefined) return [];
    const others = locks.filter((lock) => lock.project_id === project_id && lock.user_id !== author_id);
    return {
      mergeRequest,
      target: target.project,
      source: projects.get(source_project_id ?? 0)?.project ?? null,
      settings: target.settings,
      requestedChanges: changes.has(id),
      approvalsLeft: left.get(id) ?? 0,
      statusChecksLeft: unchecked.has(id),
      empty: empty.has(id),
      unresolvedDiscussions: unresolved.has(id),
      pipeline: pipelines.get(id),
      lockedPaths: new Set(others.map(({ path }) => path)),
    };
  });
}

/** Merge requests with an external status check that has not passed; none on a plan without such checks. */
async function withChecksLeft(deps: Deps, db: Db, mergeRequests: readonly MergeRequest[]): Promise<Set<number>> {
  const statuses = await checkStatuses(deps, db, mergeRequests);
  const left = [...statuses].flatMap(([id, checks]) => (checks.some(({ status }) => status !== 'passed') ? id : []));
  return new Set(left.length > 0 && includesPlan(await effectivePlan(deps, db), 'ultimate') ? left : []);
}

const idsOf = (rows: readonly { id: number }[]) => rows.map(({ id }) => id);

const requestedChanges = prepared((db, { ids }: Ids) =>
  db
    .selectFrom('merge_request_reviewers')
    .select('merge_request_id')
    .where('merge_request_id', 'in', ids)
    .where('state', '=', 'requested_changes'),
);

const emptyDiffs = prepared((db, { ids }: Ids) =>
  db
    .selectFrom('merge_request_diffs')
    .select(['merge_request_id', 'head_commit_sha'])
    .where('id', 'in', ids)
    .where('commits_count', '=', 0),
);

const locksIn = prepared((db, { ids }: Ids) =>
  db
    .selectFrom('lfs_locks')
    .select(['project_id', 'path', 'user_id'])
    .where('project_id', 'in', ids)
    .orderBy('id')
    .limit(MAX_LOCKS),
);

async function withRequestedChanges(db: Db, mergeRequests: readonly MergeRequest[]): Promise<Set<number>> {
  const rows = await requestedChanges(db, { ids: idsOf(mergeRequests) });
  return new Set(rows.map(({ merge_request_id }) => merge_request_id));
}

async function withoutCommits(db: Db, mergeRequests: readonly MergeRequest[]): Promise<Set<number>> {
  const diffs = mergeRequests.flatMap(({ latest_diff_id }) => (latest_diff_id === null ? [] : [latest_diff_id]));
  if (diffs.length === 0) return new Set();
  const rows = await emptyDiffs(db, { ids: diffs });
  // A version of an earlier head says nothing about this one.
  const heads = new Map(mergeRequests.map(({ id, head_sha }) => [id, head_sha]));
  return new Set(
    rows
      .filter(({ merge_request_id, head_commit_sha }) => heads.get(merge_request_id) === head_commit_sha)
      .map(({ merge_request_id }) => merge_request_id),
  );
}

/** Merge requests with an unresolved thread: a thread is resolved if all its resolvable comments are. */
async function withUnresolved(db: Db, mergeRequests: readonly MergeRequest[]): Promise<Set<number>> {
  if (mergeRequests.length === 0) return new Set();
  const rows = await db
    .selectFrom('notes')
    .select('noteable_id')
    .distinct()
    .where('noteable_type', '=', 'MergeRequest')
    .where('noteable_id', 'in', idsOf(mergeRequests))
    .where('type', 'is not', null)
    .where('system', '=', 0)
    .where('resolved_at', 'is', null)
    .execute();
  return new Set(rows.map(({ noteable_id }) => noteable_id!));
}

const locksOf = (db: Db, mergeRequests: readonly MergeRequest[]) =>
  locksIn(db, { ids: [...new Set(mergeRequests.map(({ project_id }) => project_id))] });
