import { pluck } from '../../../../core/pluck.ts';
import type { Db } from '../../../../db/db.schema.ts';
import { type Ids, prepared } from '../../../../db/prepared.ts';
import type { Label } from '../../../../db/tables/labels.table.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { Project } from '../../../../db/tables/projects.table.ts';
import type { User } from '../../../../db/tables/users.table.ts';
import type { Deps } from '../../../../deps.ts';
import { usersById } from '../../../identity/index.ts';
import type { ProjectSettings } from '../../../spaces/index.ts';
import { assigneesFor } from '../../issuables/assignees.ts';
import { labelsFor } from '../../issuables/issuables.labels.ts';
import { milestonesById } from '../../milestones/milestones.find.ts';
import type { Milestone } from '../../milestones/milestones.responses.ts';
import { type ProjectOfMerges, projectsOfMerges } from '../lifecycle/projects-of-merges.ts';
import type { DetailedMergeStatus } from '../mergeability/mergeability.statuses.ts';
import { detailedMergeStatuses } from '../mergeability/mergeability.ts';

/** Data to present a merge request. */
export interface MergeRequestView {
  row: MergeRequest;
  /** The target project. */
  project: Project;
  settings: ProjectSettings;
  author: User;
  mergeUser: User | null;
  closedBy: User | null;
  assignees: User[];
  reviewers: User[];
  labels: Label[];
  milestone: Milestone | null;
  detailedStatus: DetailedMergeStatus;
  discussionsResolved: boolean;
}

/** Loads the data to present merge requests, in a fixed number of queries. */
export async function loadMergeRequestViews(deps: Deps, rows: readonly MergeRequest[]): Promise<MergeRequestView[]> {
  if (rows.length === 0) return [];
  const { db } = deps;
  const ids = rows.map(({ id }) => id);
  const projects = await projectsOfMerges(deps, db, pluck(rows, 'project_id'));
  const users = await usersById(
    db,
    rows.flatMap(({ author_id, closed_by_id, merge_user_id }) => [author_id, closed_by_id, merge_user_id]),
  );
  const assignees = await assigneesFor(db, 'MergeRequest', ids);
  const reviewers = await reviewersFor(db, ids);
  const labels = await labelsFor(db, 'MergeRequest', ids);
  const milestones = await milestonesById(deps, db, pluck(rows, 'milestone_id'));
  const statuses = await detailedMergeStatuses(deps, db, rows, { damaged: 'unchecked' });
  const unresolved = await withUnresolved(db, rows, projects);
  return rows.flatMap((row) => {
    const project = projects.get(row.project_id);
    if (project === undefined) return [];
    return {
      row,
      ...project,
      author: users.get(row.author_id)!,
      mergeUser: users.get(row.merge_user_id ?? 0) ?? null,
      closedBy: users.get(row.closed_by_id ?? 0) ?? null,
      assignees: assignees.get(row.id)!,
      reviewers: reviewers.get(row.id)!,
      labels: labels.get(row.id)!,
      milestone: milestones.get(row.milestone_id ?? 0) ?? null,
      detailedStatus: statuses.get(row.id) ?? 'unchecked',
      discussionsResolved: !unresolved.has(row.id),
    };
  });
}

const reviewerRows = prepared((db, { ids }: Ids) =>
  db
    .selectFrom('merge_request_reviewers')
    .innerJoin('users', 'users.id', 'merge_request_reviewers.user_id')
    .selectAll('users')
    .select('merge_request_reviewers.merge_request_id')
    .where('merge_request_id', 'in', ids)
    .orderBy('users.id'),
);

/** Reviewers by merge request, ordered by user id. */
export async function reviewersFor(db: Db, ids: readonly number[]): Promise<Map<number, User[]>> {
  const reviewers = new Map<number, User[]>(ids.map((id) => [id, []]));
  if (ids.length === 0) return reviewers;
  const rows = await reviewerRows(db, { ids });
  for (const { merge_request_id, ...user } of rows) reviewers.get(merge_request_id)!.push(user);
  return reviewers;
}

/** Merge requests with an open thread whose project requires all threads to be resolved. */
async function withUnresolved(
  db: Db,
  rows: readonly MergeRequest[],
  projects: ReadonlyMap<number, ProjectOfMerges>,
): Promise<Set<number>> {
  const ids = rows
    .filter(({ project_id }) => projects.get(project_id)?.settings.only_allow_merge_if_all_discussions_are_resolved)
    .map(({ id }) => id);
  if (ids.length === 0) return new Set();
  const open = await db
    .selectFrom('notes')
    .select('noteable_id')
    .distinct()
    .where('noteable_type', '=', 'MergeRequest')
    .where('noteable_id', 'in', ids)
    .where('type', 'is not', null)
    .where('system', '=', 0)
    .where('resolved_at', 'is', null)
    .execute();
  return new Set(open.flatMap(({ noteable_id }) => noteable_id ?? []));
}
