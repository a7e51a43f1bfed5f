import type { Updateable } from 'kysely';
import { allowsOn } from '../../../../access/ability-target.ts';
import type { UserCaller } from '../../../../access/caller.ts';
import { revalidateProjectAbility } from '../../../../access/caller-in-project.ts';
import { timestamp } from '../../../../core/clock.ts';
import { forbidden, invalidModel, recordNotFound } from '../../../../core/core.errors.ts';
import { mergeRequestFacts } from '../../../../core/event-facts.ts';
import { bit } from '../../../../db/columns.ts';
import { isUniqueViolation } from '../../../../db/db.errors.ts';
import type { Db } from '../../../../db/db.schema.ts';
import type { MergeRequest, MergeRequestsTable } from '../../../../db/tables/merge-requests.table.ts';
import { inTransaction } from '../../../../db/transactions.ts';
import type { Deps } from '../../../../deps.ts';
import { issuableTarget } from '../../issuables/issuables.access.ts';
import { changeOfUpdate } from '../../issuables/issuables.target.ts';
import { writeSystemNote } from '../../notes/system-note.ts';
import { todosOfChanges } from '../../todos/todos.changes.ts';
import { rulesFromAttributes } from '../approvals/rule-attributes.ts';
import { changeTarget } from '../head/retarget.ts';
import { refuseDuplicate, tipOf } from '../lifecycle/branches.ts';
import { lockMergeRequest } from '../lifecycle/merge-requests.lock.ts';
import { applyStateEvent } from '../lifecycle/state-event.ts';
import { enqueueRefresh, refreshNow } from '../mergeability/refresh.ts';
import type { MergeRequestScope } from '../views/merge-requests.detail-views.ts';
import type { UpdateMergeRequest } from './merge-requests.inputs.ts';
import { changeMetadata } from './merge-requests.metadata.ts';
import { isDraftTitle, textErrors } from './title.ts';

type Scope = MergeRequestScope & { caller: UserCaller };
type Columns = Updateable<MergeRequestsTable>;

/** @throws ApiError 403 if the caller may no longer change the merge request */
async function requireUpdate(db: Db, { permissions, caller }: Scope, row: MergeRequest): Promise<void> {
  const target = issuableTarget(db, 'MergeRequest', row, caller.user.id);
  if (!(await allowsOn(permissions, 'update_merge_request', target))) throw forbidden();
}

/** Changed columns by the client's parameters, and their system notes. */
interface ChangedColumns {
  columns: Columns;
  notes: [action: string, text: string][];
}

function changedColumns(row: MergeRequest, input: UpdateMergeRequest, actorId: number): ChangedColumns {
  const columns: Columns = {};
  const notes: ChangedColumns['notes'] = [];
  const { title, description, discussion_locked: locked } = input;
  if (title !== undefined && title !== row.title) {
    columns.title = title;
    const draft = bit(isDraftTitle(title));
    if (draft === row.draft) notes.push(['title', `changed title from **{-${row.title}-}** to **{+${title}+}**`]);
    else {
      columns.draft = draft;
      notes.push(['title', `marked this merge request as **${draft === 1 ? 'draft' : 'ready'}**`]);
    }
  }
  if (description !== undefined && (description ?? '') !== (row.description ?? '')) {
    columns.description = description;
    notes.push(['description', 'changed the description']);
  }
  if (locked !== undefined && locked !== null && bit(locked) !== (row.discussion_locked ?? 0)) {
    columns.discussion_locked = bit(locked);
    notes.push([
      locked ? 'locked' : 'unlocked',
      `${locked ? 'locked' : 'unlocked'} the discussion in this merge request`,
    ]);
  }
  // It opens the author's fork to others, so only the author may set it.
  const own = row.author_id === actorId && row.source_project_id !== row.project_id;
  const collaboration = own ? (input.allow_collaboration ?? input.allow_maintainer_to_push) : undefined;
  const flags = {
    squash: input.squash,
    remove_source_branch: input.remove_source_branch,
    allow_collaboration: collaboration,
  };
  for (const [name, value] of Object.entries(flags) as [keyof typeof flags, boolean | undefined][]) {
    if (value !== undefined && bit(value) !== row[name]) columns[name] = bit(value);
  }
  if (input.merge_after !== undefined && input.merge_after !== row.merge_after) columns.merge_after = input.merge_after;
  const { approvals_before_merge: approvals } = input;
  if (approvals !== undefined && approvals !== row.approvals_before_merge) columns.approvals_before_merge = approvals;
  return { columns, notes };
}

/** The requested new target branch, if valid; undefined for merge requests that are merged or being merged. */
function newTarget(row: MergeRequest, { target_branch }: UpdateMergeRequest): string | undefined {
  if (target_branch === undefined || target_branch === row.target_branch) return undefined;
  return row.state === 'opened' || row.state === 'closed' ? target_branch : undefined;
}

async function checkTarget(deps: Deps, { project }: Scope, row: MergeRequest, branch: string): Promise<void> {
  if (row.source_project_id === project.id && row.source_branch === branch) {
    throw invalidModel({ base: ["You can't use same project/branch for source and target"] }, 422);
  }
  if ((await tipOf(deps, project, branch)) === null) throw invalidModel({ target_branch: ['does not exist'] });
  if (row.state === 'opened') await refuseDuplicate(deps.db, { ...row, target_branch: branch }, row.id);
}

/**
 * Changes a merge request (public documentation, "Update MR"). Within an outer transaction, version and mergeability
 * are updated in the background.
 * @param after further work in the same transaction
 * @throws ApiError 400, 403, 404, 409 if another one is open between the same branches, 422
 */
export async function updateMergeRequest(
  deps: Deps,
  scope: Scope,
  row: MergeRequest,
  input: UpdateMergeRequest,
  after?: (db: Db) => Promise<void>,
): Promise<MergeRequest> {
  const errors = textErrors({
    ...(input.title === undefined ? {} : { title: input.title }),
    ...(input.description === undefined ? {} : { description: input.description }),
  });
  if (Object.keys(errors).length > 0) throw invalidModel(errors);
  const target = newTarget(row, input);
  if (target !== undefined) await checkTarget(deps, scope, row, target);
  const rules = await rulesFromAttributes(deps, scope, row, input.approval_rules_attributes);
  let refresh: boolean;
  try {
    refresh = await inTransaction(deps.db, async (db) => {
      const refresh = await changeWithin(deps, db, scope, row.id, input, rules);
      await after?.(db);
      return refresh;
    });
  } catch (error) {
    if (isUniqueViolation(error))
      await refuseDuplicate(deps.db, { ...row, target_branch: target ?? row.target_branch }, row.id);
    throw error;
  }
  if (refresh && !deps.db.isTransaction) return refreshNow(deps, row.id);
  return deps.db.selectFrom('merge_requests').selectAll().where('id', '=', row.id).executeTakeFirstOrThrow();
}

/** Columns that are booleans in events. */
const FLAGS = new Set(['draft', 'discussion_locked', 'squash', 'remove_source_branch', 'allow_collaboration']);
const eventValue = (column: string, value: unknown): unknown =>
  FLAGS.has(column) && value !== null ? value === 1 : value;

/** @returns whether version, rules and mergeability must be updated */
async function changeWithin(
  deps: Deps,
  db: Db,
  scope: Scope,
  id: number,
  input: UpdateMergeRequest,
  rules: (db: Db, row: MergeRequest) => Promise<void>,
): Promise<boolean> {
  const { user } = scope.caller;
  const row = await lockMergeRequest(db, id);
  if (row === undefined) throw recordNotFound();
  const projectScope = await revalidateProjectAbility(deps, db, scope.caller, row.project_id, 'read_merge_request');
  await requireUpdate(db, projectScope, row);
  const about = { type: 'MergeRequest' as const, id, projectId: row.project_id };
  const { columns, notes } = changedColumns(row, input, user.id);
  const target = newTarget(row, input);
  if (target !== undefined) columns.target_branch = target;
  const changes: Record<string, [unknown, unknown]> = {
    ...(await changeMetadata(deps, db, scope, row, input, user.id)),
  };
  for (const [name, value] of Object.entries(columns)) {
    changes[name] = [eventValue(name, row[name as keyof MergeRequest]), eventValue(name, value)];
  }
  for (const [action, text] of notes) await writeSystemNote(deps, db, about, user.id, action, text);
  const note = `changed target branch from \`${row.target_branch}\` to \`${target}\``;
  const retargeted =
    target === undefined
      ? undefined
      : await changeTarget(deps, db, row, { target_branch: target, userId: user.id, note });
  if (Object.keys(changes).length > 0) {
    const after = await db
      .updateTable('merge_requests')
      .set((eb) => ({
        ...columns,
        ...retargeted?.(eb),
        updated_at: timestamp(deps.clock),
        updated_by_id: user.id,
      }))
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
    await deps.events.record(
      db,
      'merge_request.updated',
      {
        merge_request_id: id,
        project_id: row.project_id,
        merge_request: mergeRequestFacts(after),
        changes: { ...changes, ...changeOfUpdate(row, after) },
      },
      { projectId: row.project_id, actorId: user.id },
    );
    await todosOfChanges(deps, db, about, changes, user.id);
  }
  await rules(db, target === undefined ? row : { ...row, target_branch: target });
  const reopened = await applyStateEvent(deps, db, row, input.state_event, user.id);
  const refresh = reopened || (target !== undefined && row.state === 'opened');
  if (refresh) await enqueueRefresh(deps, db, id, { inPlace: true });
  return refresh;
}
