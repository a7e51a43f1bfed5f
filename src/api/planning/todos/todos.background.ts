import { timestamp } from '../../../core/clock.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { MergeRequest } from '../../../db/tables/merge-requests.table.ts';
import type { Deps } from '../../../deps.ts';
import { loadEffectiveRules } from '../merge-requests/approvals/approvals.state.ts';
import { eligibleApprovers, type NamedApprovers } from '../merge-requests/approvals/eligible.ts';
import type { StoredRule } from '../merge-requests/approvals/rule-store.ts';
import { headedBy } from '../merge-requests/merging/head-pipelines.ts';
import { addTodos } from './todos.record.ts';

/** Users who are asked by rules of one merge request at most. */
const MAX_APPROVERS = 500;

/** Asks people who are needed for a merge request, after the fact: its approvers, and its author when a build fails. */
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

/** Users whom the approval rules of a merge request name, without its author; code owners are not among them. */
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

/** Asks those whom rules of a merge request name for their approval, within a transaction. */
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

/** Tells the authors of open merge requests, and who wants them merged then, that a job of their head failed. */
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

/** Nothing is to be done any more about jobs that failed, once somebody has had them run again. */
async function takeBack(deps: Deps, pipelineId: number): Promise<void> {
  const rows = await headedBy(deps.db, pipelineId);
  if (rows.length === 0) return;
  await deps.db
    .updateTable('todos')
    .set({ state: 'done', updated_at: timestamp(deps.clock) })
    .where('target_type', '=', 'MergeRequest')
    .where(
      'target_id',
      'in',
      rows.map(({ id }) => id),
    )
    .where('action', '=', 'build_failed')
    .where('state', '=', 'pending')
    .execute();
}

/** Tells the author of a merge request, and whoever has it merged automatically, within a transaction. */
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
