import type { Caller } from '../../../access/caller.ts';
import { today } from '../../../core/clock.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Label } from '../../../db/tables/labels.table.ts';
import type { Deps } from '../../../deps.ts';
import { visibleIssues } from '../issuables/visible-issues.ts';
import { visibleMergeRequests } from '../issuables/visible-merge-requests.ts';
import type { LabelOwner } from './label-owner.ts';
import type { LabelJson } from './labels.inputs.ts';
import { presentLabel } from './labels.views.ts';

interface Counts {
  open_issues_count: number;
  closed_issues_count: number;
  open_merge_requests_count: number;
}

/** Number of issues and merge requests with each label that the caller may see. */
async function countsOf(deps: Deps, caller: Caller, ids: readonly number[]): Promise<Map<number, Counts>> {
  const day = today(deps.clock);
  const counts = new Map(
    ids.map((id) => [id, { open_issues_count: 0, closed_issues_count: 0, open_merge_requests_count: 0 }]),
  );
  const issues = await deps.db
    .selectFrom('issuable_labels')
    .innerJoin('issues', 'issues.id', 'issuable_labels.issuable_id')
    .select(({ fn }) => ['issuable_labels.label_id', 'issues.state', fn.countAll<number>().as('count')])
    .where('issuable_labels.label_id', 'in', ids)
    .where('issuable_labels.issuable_type', '=', 'Issue')
    .where(() => visibleIssues(caller, day))
    .groupBy(['issuable_labels.label_id', 'issues.state'])
    .execute();
  for (const { label_id, state, count } of issues) {
    counts.get(label_id)![state === 'opened' ? 'open_issues_count' : 'closed_issues_count'] = Number(count);
  }
  const requests = await deps.db
    .selectFrom('issuable_labels')
    .innerJoin('merge_requests', 'merge_requests.id', 'issuable_labels.issuable_id')
    .select(({ fn }) => ['issuable_labels.label_id', fn.countAll<number>().as('count')])
    .where('issuable_labels.label_id', 'in', ids)
    .where('issuable_labels.issuable_type', '=', 'MergeRequest')
    .where('merge_requests.state', '=', 'opened')
    .where(() => visibleMergeRequests(caller, day))
    .groupBy('issuable_labels.label_id')
    .execute();
  for (const { label_id, count } of requests) counts.get(label_id)!.open_merge_requests_count = Number(count);
  return counts;
}

async function subscribedTo(db: Db, ids: readonly number[], userId: number): Promise<Set<number>> {
  const rows = await db
    .selectFrom('subscriptions')
    .select('subscribable_id')
    .where('subscribable_type', '=', 'Label')
    .where('subscribable_id', 'in', ids)
    .where('user_id', '=', userId)
    .where('subscribed', '=', 1)
    .execute();
  return new Set(rows.map(({ subscribable_id }) => subscribable_id));
}

async function prioritiesIn(db: Db, projectId: number, ids: readonly number[]): Promise<Map<number, number>> {
  const rows = await db
    .selectFrom('label_priorities')
    .select(['label_id', 'priority'])
    .where('project_id', '=', projectId)
    .where('label_id', 'in', ids)
    .execute();
  return new Map(rows.map(({ label_id, priority }) => [label_id, priority]));
}

/** Presents labels of a project or group to the caller, in a fixed number of queries. */
export async function presentLabels(
  deps: Deps,
  caller: Caller,
  owner: Pick<LabelOwner, 'type' | 'id'>,
  labels: readonly Label[],
  { withCounts = false } = {},
): Promise<LabelJson[]> {
  if (labels.length === 0) return [];
  const ids = labels.map(({ id }) => id);
  const counts = withCounts ? await countsOf(deps, caller, ids) : undefined;
  const subscribed = caller.user === null ? undefined : await subscribedTo(deps.db, ids, caller.user.id);
  const priorities = owner.type === 'project' ? await prioritiesIn(deps.db, owner.id, ids) : undefined;
  return labels.map((label) => ({
    ...presentLabel(label),
    ...counts?.get(label.id),
    subscribed: subscribed?.has(label.id) ?? false,
    ...(priorities === undefined
      ? {}
      : { priority: priorities.get(label.id) ?? null, is_project_label: label.project_id !== null }),
  }));
}
