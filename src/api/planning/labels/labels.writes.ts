import { lineageIds } from '../../../access/access.membership.ts';
import { timestamp } from '../../../core/clock.ts';
import { conflict, type FieldErrors, invalidModel, notFound } from '../../../core/core.errors.ts';
import { bit } from '../../../db/columns.ts';
import { isUniqueViolation } from '../../../db/db.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Label } from '../../../db/tables/labels.table.ts';
import type { Deps } from '../../../deps.ts';
import { recordLabelDeletion } from '../resource-events/resource-events.removal.ts';
import { parseColor } from './colors.ts';
import type { LabelOwner } from './label-owner.ts';
import type { CreateLabelInput, UpdateLabelInput } from './labels.inputs.ts';
import { isNameAvailable } from './labels.queries.ts';

const MAX_NAME = 255;

/** Normalizes and validates name and colour. @throws ApiError 400 */
function readAttributes(name: string, colorText: string): { name: string; color: string } {
  const title = name.trim();
  const color = parseColor(colorText);
  const titles = [
    ...(title === '' ? ["can't be blank"] : []),
    ...(title === '' || title.includes(',') ? ['is invalid'] : []),
    ...(title.length > MAX_NAME ? [`is too long (maximum is ${MAX_NAME} characters)`] : []),
  ];
  const errors: FieldErrors = {
    ...(titles.length > 0 ? { title: titles } : {}),
    ...(color === null ? { color: ['must be a valid color code'] } : {}),
  };
  if (Object.keys(errors).length > 0 || color === null) throw invalidModel(errors);
  return { name: title, color };
}

async function prioritize(db: Db, labelId: number, projectId: number, priority: number | null): Promise<void> {
  if (priority === null) {
    await db
      .deleteFrom('label_priorities')
      .where('label_id', '=', labelId)
      .where('project_id', '=', projectId)
      .execute();
    return;
  }
  await db
    .insertInto('label_priorities')
    .values({ label_id: labelId, project_id: projectId, priority })
    .onConflict((conflict) => conflict.columns(['label_id', 'project_id']).doUpdateSet({ priority }))
    .execute();
}

/**
 * Creates a label in a project or group.
 * @throws ApiError 400 for an invalid name or colour, 409 if the name is taken, also in an ancestor group
 */
export async function createLabel(deps: Deps, owner: LabelOwner, input: CreateLabelInput): Promise<Label> {
  const taken = () => conflict('Label already exists');
  if (await isNameAvailable(deps.db, owner, input.name.trim())) throw taken();
  const now = timestamp(deps.clock);
  const values = {
    ...readAttributes(input.name, input.color),
    project_id: owner.type === 'project' ? owner.id : null,
    group_id: owner.type === 'group' ? owner.id : null,
    description: input.description ?? null,
    archived: bit(input.archived ?? false),
    created_at: now,
    updated_at: now,
  };
  try {
    return await deps.db.transaction().execute(async (db) => {
      const label = await db.insertInto('labels').values(values).returningAll().executeTakeFirstOrThrow();
      if (owner.type === 'project' && input.priority != null) await prioritize(db, label.id, owner.id, input.priority);
      return label;
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw taken();
    throw error;
  }
}

/** Refuses a project label with the name of a label of an ancestor group. @throws ApiError 400 */
async function refuseGroupName(db: Db, { type, namespace }: LabelOwner, name: string): Promise<void> {
  if (type === 'group') return;
  const group = await db
    .selectFrom('labels')
    .innerJoin('namespaces', 'namespaces.id', 'labels.group_id')
    .select('namespaces.name')
    .where('labels.name', '=', name)
    .where('labels.group_id', 'in', lineageIds(namespace.lineage))
    .executeTakeFirst();
  if (group === undefined) return;
  throw invalidModel({ title: [`already exists at group level for ${group.name}. Please choose another one.`] });
}

/**
 * Changes a label and its priority in the project.
 * @throws ApiError 400 for an invalid or taken name, or an invalid colour
 */
export async function updateLabel(
  deps: Deps,
  owner: LabelOwner,
  label: Label,
  input: UpdateLabelInput,
): Promise<Label> {
  const { new_name, color, description, archived, priority } = input;
  const columns = {
    ...readAttributes(new_name ?? label.name, color ?? label.color),
    description: description === undefined ? label.description : description,
    archived: archived === undefined ? label.archived : bit(archived),
  };
  const changed = (Object.keys(columns) as (keyof typeof columns)[]).some((key) => columns[key] !== label[key]);
  if (label.group_id === null && columns.name !== label.name) await refuseGroupName(deps.db, owner, columns.name);
  try {
    return await deps.db.transaction().execute(async (db) => {
      if (owner.type === 'project' && priority !== undefined) await prioritize(db, label.id, owner.id, priority);
      if (!changed) return label;
      return db
        .updateTable('labels')
        .set({ ...columns, updated_at: timestamp(deps.clock) })
        .where('id', '=', label.id)
        .returningAll()
        .executeTakeFirstOrThrow(() => notFound('Label'));
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw invalidModel({ title: ['has already been taken'] });
    throw error;
  }
}

/** Deletes a label, with resource events for everything that had it. @returns number of deleted labels */
export const destroyLabel = (deps: Deps, { id }: Label, actorId: number | null): Promise<number> =>
  deps.db.transaction().execute(async (db) => {
    await recordLabelDeletion(deps, db, [id], actorId);
    return removeLabels(db, [id]);
  });

/** Deletes labels with everything that belongs to them, within a transaction. @returns number of deleted labels */
export async function removeLabels(db: Db, ids: readonly number[]): Promise<number> {
  if (ids.length === 0) return 0;
  await db
    .deleteFrom('subscriptions')
    .where('subscribable_type', '=', 'Label')
    .where('subscribable_id', 'in', ids)
    .execute();
  const { numDeletedRows } = await db.deleteFrom('labels').where('id', 'in', ids).executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/**
 * Subscribes a user to a label, or unsubscribes them.
 * @returns whether anything changed
 */
export async function setSubscribed(deps: Deps, label: Label, userId: number, subscribed: boolean): Promise<boolean> {
  if (subscribed) {
    const { numInsertedOrUpdatedRows } = await deps.db
      .insertInto('subscriptions')
      .values({
        subscribable_type: 'Label',
        subscribable_id: label.id,
        user_id: userId,
        project_id: label.project_id,
        subscribed: 1,
        created_at: timestamp(deps.clock),
      })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    return (numInsertedOrUpdatedRows ?? 0n) > 0n;
  }
  const { numDeletedRows } = await deps.db
    .deleteFrom('subscriptions')
    .where('subscribable_type', '=', 'Label')
    .where('subscribable_id', '=', label.id)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
