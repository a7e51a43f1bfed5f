import type { Updateable } from 'kysely';
import type { UserCaller } from '../../../access/caller.ts';
import { timestamp } from '../../../core/clock.ts';
import { recordNotFound } from '../../../core/core.errors.ts';
import { issueFacts } from '../../../core/event-facts.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Issue, IssuesTable } from '../../../db/tables/issues.table.ts';
import { inTransaction } from '../../../db/transactions.ts';
import type { Deps } from '../../../deps.ts';
import type { ProjectScope } from '../../api.access.ts';
import { changeAssignees } from '../issuables/assignees.ts';
import { changeLabels } from '../issuables/issuables.labels.ts';
import { changeOfUpdate } from '../issuables/issuables.target.ts';
import { writeSystemNote } from '../notes/system-note.ts';
import { recordMilestone, recordWeight } from '../resource-events/resource-events.record.ts';
import { todosOfChanges } from '../todos/todos.changes.ts';
import { changeNotes, milestoneNote } from './change-notes.ts';
import { assigneesOf, checkAttributes, columnsOf, milestoneOf } from './issues.attributes.ts';
import type { IssueInput } from './issues.inputs.ts';
import { type IssueRights, rightsOn } from './issues.rights.ts';
import { closeIssue, reopenIssue } from './issues.state.ts';

type Changes = Record<string, [unknown, unknown]>;
type Scope = ProjectScope & { caller: UserCaller };

/** Locks the issue until the end of the transaction, and returns its current state. @throws ApiError 404 */
export async function lockIssue(db: Db, id: number): Promise<Issue> {
  return db
    .updateTable('issues')
    .set((eb) => ({ updated_at: eb.ref('updated_at') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow(recordNotFound);
}

/** Columns that are booleans in events. */
const FLAGS = new Set(['confidential', 'discussion_locked']);
const eventValue = (column: string, value: unknown): unknown =>
  FLAGS.has(column) && value !== null ? value === 1 : value;

async function changeColumns(
  deps: Deps,
  db: Db,
  scope: Scope,
  before: Issue,
  input: IssueInput,
  rights: IssueRights,
): Promise<Changes> {
  const columns: Updateable<IssuesTable> = columnsOf(input, rights, false);
  const milestone = await milestoneOf(db, scope, input, rights);
  if (milestone !== undefined) columns.milestone_id = milestone?.id ?? null;
  const changed = (Object.keys(columns) as (keyof typeof columns & keyof Issue)[]).filter(
    (column) => columns[column] !== before[column],
  );
  if (changed.length === 0) return {};
  const after = await db
    .updateTable('issues')
    .set(columns)
    .where('id', '=', before.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  const notes = changeNotes(before, after, changed);
  if (changed.includes('milestone_id')) notes.push(milestoneNote(milestone ?? null));
  const target = { type: 'Issue', id: before.id, projectId: before.project_id } as const;
  const actorId = scope.caller.user.id;
  for (const [action, text] of notes) await writeSystemNote(deps, db, target, actorId, action, text);
  if (changed.includes('milestone_id')) {
    const change = { before: before.milestone_id, after: after.milestone_id, state: before.state };
    await recordMilestone(deps, db, target, actorId, change);
  }
  if (changed.includes('weight')) await recordWeight(deps, db, target, actorId, after.weight);
  return Object.fromEntries(
    changed.map((column) => [column, [eventValue(column, before[column]), eventValue(column, after[column])]]),
  );
}

async function changeLists(
  deps: Deps,
  db: Db,
  { project, namespace, permissions, caller }: Scope,
  issue: Issue,
  input: IssueInput,
  rights: IssueRights,
): Promise<Changes> {
  const changes: Changes = {};
  const target = { type: 'Issue', id: issue.id, project, namespace } as const;
  const { labels, add_labels: add, remove_labels: remove } = input;
  if (rights.manage && (labels !== undefined || add !== undefined || remove !== undefined)) {
    const actor = { userId: caller.user.id, mayCreate: permissions.can('admin_label') };
    const change = await changeLabels(deps, db, target, { labels: labels === null ? [] : labels, add, remove }, actor);
    if (change !== null) changes.labels = change;
  }
  const assigneeIds = assigneesOf(input, rights);
  if (assigneeIds !== undefined) {
    const change = await changeAssignees(deps, db, target, assigneeIds, caller.user.id);
    if (change !== null) changes.assignee_ids = change;
  }
  return changes;
}

/**
 * Changes an issue, with a system note per change and one event. Ignores attributes that the caller may not set.
 * @param after further work in the same transaction
 * @throws ApiError 400 for invalid attributes
 */
export async function updateIssue(
  deps: Deps,
  scope: Scope,
  issue: Issue,
  input: IssueInput,
  after?: (db: Db) => Promise<void>,
): Promise<Issue> {
  const { caller } = scope;
  const rights = rightsOn(scope.permissions);
  checkAttributes(input);
  const actorId = caller.user.id;
  return inTransaction(deps.db, async (db) => {
    const before = await lockIssue(db, issue.id);
    const changes = {
      ...(await changeColumns(deps, db, scope, before, input, rights)),
      ...(await changeLists(deps, db, scope, before, input, rights)),
    };
    if (Object.keys(changes).length > 0) {
      const { id, project_id } = before;
      const after = await db
        .updateTable('issues')
        .set({ updated_at: timestamp(deps.clock), updated_by_id: actorId })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow();
      const payload = {
        issue_id: id,
        project_id,
        issue: issueFacts(after),
        changes: { ...changes, ...changeOfUpdate(before, after) },
      };
      await deps.events.record(db, 'issue.updated', payload, { projectId: project_id, actorId });
      await todosOfChanges(deps, db, { type: 'Issue', id, projectId: project_id }, changes, actorId);
    }
    if (input.state_event === 'close') await closeIssue(deps, db, before, actorId);
    if (input.state_event === 'reopen') await reopenIssue(deps, db, before, actorId);
    await after?.(db);
    return backdated(db, before.id, input, rights);
  });
}

/** The final issue, with `updated_at` as requested by an owner. */
async function backdated(db: Db, id: number, { updated_at }: IssueInput, { backdate }: IssueRights): Promise<Issue> {
  if (updated_at === undefined || !backdate) {
    return db.selectFrom('issues').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  }
  return db.updateTable('issues').set({ updated_at }).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}
