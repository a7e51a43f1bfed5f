import { timestamp } from '../../../core/clock.ts';
import { pluck } from '../../../core/pluck.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { MergeRequest } from '../../../db/tables/merge-requests.table.ts';
import type { Deps } from '../../../deps.ts';
import { loadEffectiveRules } from '../merge-requests/approvals/approvals.state.ts';
import { eligibleApprovers, type NamedApprovers } from '../merge-requests/approvals/eligible.ts';
import type { StoredRule } from '../merge-requests/approvals/rule-store.ts';
import { headedBy } from '../merge-requests/mergeability/head-pipelines.ts';
import { addTodos } from './todos.record.ts';

/** Maximum number of approvers of a merge request to notify. */
const MAX_APPROVERS = 500;

/** Registers background to-do items of merge requests: for approvers, and for the author after a failed job. */
export function registerTodos(deps: Deps): void {
  deps.events.subscribe({
    name: 'todos.approvers',
    types: ['merge_request.created'],
    handle: async ({ payload }) => {
      const id = payload.merge_request_id;
      const row = await deps.db.selectFrom('merge_requests').selectAll().where('id', '=', id).executeTakeFirst();
      if (row !== undefined) await askApprovers(deps, row);
    },
  });
  deps.events.subscribe({
    name: 'todos.builds',
    types: ['commit_status.updated', 'job.updated'],
    wants: ({ payload }) =>
      'job_id' in payload
        ? payload.status === 'failed'
        : payload.commit_status === undefined ||
          (payload.commit_status.status === 'failed' && payload.commit_status.allow_failure === 0),
    handle: ({ payload }) => tellFailure(deps, 'job_id' in payload ? payload.job_id : payload.status_id),
  });
  deps.events.subscribe({
    name: 'todos.builds_again',
    types: ['pipeline.updated'],
    wants: ({ payload: { old_status } }) => old_status === 'failed',
    handle: ({ payload }) => takeBack(deps, payload.pipeline_id),
  });
}

async function askApprovers(deps: Deps, row: MergeRequest): Promise<void> {
  const named = await rulesThatAsk(deps, row);
  await deps.db.transaction().execute((db) => addApprovalTodos(deps, db, row, named));
}

async function rulesThatAsk(deps: Deps, row: MergeRequest): Promise<StoredRule[]> {
  const rules = (await loadEffectiveRules(deps, deps.db, [row])).get(row.id)?.rules ?? [];
  return rules.flatMap(({ rule, required }) =>
    rule !== null && required > 0 && rule.rule_type !== 'code_owner' ? rule : [],
  );
}

/** Users named by the approval rules of a merge request, without its author and code owners. */
export async function approversOf(deps: Deps, row: MergeRequest): Promise<number[]> {
  return namedBy(deps, deps.db, row, await rulesThatAsk(deps, row));
}

async function namedBy(
  deps: Deps,
  db: Db,
  { project_id, author_id }: MergeRequest,
  rules: readonly NamedApprovers[],
): Promise<number[]> {
  if (rules.length === 0) return [];
  const approvers = (await eligibleApprovers(deps, db, project_id, rules)).flat().map((user) => user.id);
  return [...new Set(approvers)].filter((userId) => userId !== author_id).slice(0, MAX_APPROVERS);
}

/** Creates to-do items for the approvers of a merge request, within a transaction. */
export async function addApprovalTodos(
  deps: Deps,
  db: Db,
  row: MergeRequest,
  rules: readonly NamedApprovers[],
): Promise<void> {
  const target = { type: 'MergeRequest', id: row.id, projectId: row.project_id } as const;
  const asked = await namedBy(deps, db, row, rules);
  await addTodos(deps, db, target, 'approval_required', asked, { authorId: row.author_id });
}

/**
 * Creates to-do items about a failed job of the head, for authors of open merge requests and users who enabled
 * auto-merge.
 */
async function tellFailure(deps: Deps, jobId: number): Promise<void> {
  const failed = await deps.db
    .selectFrom('ci_jobs')
    .select('pipeline_id')
    .where('id', '=', jobId)
    .where('status', '=', 'failed')
    .where('allow_failure', '=', 0)
    .where('retried', '=', 0)
    .executeTakeFirst();
  if (failed === undefined) return;
  const rows = await headedBy(deps.db, failed.pipeline_id);
  if (rows.length === 0) return;
  await deps.db.transaction().execute(async (db) => {
    for (const row of rows) await addParticipantTodos(deps, db, row, 'build_failed');
  });
}

/** Marks to-do items about failed jobs as done, after the jobs are retried. */
async function takeBack(deps: Deps, pipelineId: number): Promise<void> {
  const rows = await headedBy(deps.db, pipelineId);
  if (rows.length === 0) return;
  await deps.db
    .updateTable('todos')
    .set({ state: 'done', updated_at: timestamp(deps.clock) })
    .where('target_type', '=', 'MergeRequest')
    .where('target_id', 'in', pluck(rows, 'id'))
    .where('action', '=', 'build_failed')
    .where('state', '=', 'pending')
    .execute();
}

/** Creates to-do items for the author of a merge request and the user who enabled auto-merge, within a transaction. */
export async function addParticipantTodos(
  deps: Deps,
  db: Db,
  { id, project_id, author_id, auto_merge, merge_user_id }: MergeRequest,
  action: 'build_failed' | 'unmergeable',
): Promise<void> {
  const target = { type: 'MergeRequest', id, projectId: project_id } as const;
  const people = [author_id, ...(auto_merge === 1 && merge_user_id !== null ? [merge_user_id] : [])];
  for (const userId of new Set(people)) await addTodos(deps, db, target, action, [userId], { authorId: userId });
}
