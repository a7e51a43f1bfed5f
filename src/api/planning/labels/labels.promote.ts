import { timestamp } from '../../../core/clock.ts';
import { refused } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Label } from '../../../db/tables/labels.table.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Deps } from '../../../deps.ts';
import { mergeSubjects } from '../resource-events/resource-events.removal.ts';
import { removeLabels } from './labels.writes.ts';

/** Refusal (400) for labels that cannot be promoted. */
export const notPromoted = () => refused('Failed to promote project label to group label');

/**
 * Promotes a project label to a group label. Labels with the same name in all projects of the group are merged into it.
 * @throws ApiError 400 if it is no longer a project label
 */
export async function promoteLabel(deps: Deps, group: Namespace, label: Label): Promise<Label> {
  return deps.db.transaction().execute(async (db) => {
    const { name } = label;
    const merged = await db
      .selectFrom('labels')
      .select('id')
      .where('name', '=', name)
      .where('project_id', 'in', db.selectFrom('projects').select('id').where('namespace_id', '=', group.id))
      .execute();
    const ids = merged.map(({ id }) => id);
    if (!ids.includes(label.id)) throw notPromoted();
    const promoted = await groupLabel(deps, db, group, label);
    await moveAll(db, ids, promoted.id);
    await mergeSubjects(db, 'label_id', ids, promoted.id);
    await removeLabels(db, ids);
    return promoted;
  });
}

async function groupLabel(deps: Deps, db: Db, group: Namespace, label: Label): Promise<Label> {
  const now = timestamp(deps.clock);
  const { name, color, description, archived } = label;
  await db
    .insertInto('labels')
    .values({
      ...{ project_id: null, group_id: group.id, name, color, description, archived },
      ...{ created_at: now, updated_at: now },
    })
    .onConflict((conflict) => conflict.columns(['group_id', 'name']).doNothing())
    .execute();
  return db
    .selectFrom('labels')
    .selectAll()
    .where('group_id', '=', group.id)
    .where('name', '=', name)
    .executeTakeFirstOrThrow();
}

/** Moves the uses of labels to another label. */
async function moveAll(db: Db, from: readonly number[], to: number): Promise<void> {
  await db
    .insertInto('issuable_labels')
    .columns(['issuable_type', 'issuable_id', 'label_id', 'project_id'])
    .expression((eb) =>
      eb
        .selectFrom('issuable_labels')
        .select((row) => ['issuable_type', 'issuable_id', row.lit(to).as('label_id'), 'project_id'])
        .where('label_id', 'in', from),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await db
    .insertInto('label_priorities')
    .columns(['label_id', 'project_id', 'priority'])
    .expression((eb) =>
      eb
        .selectFrom('label_priorities')
        .select((row) => [row.lit(to).as('label_id'), 'project_id', 'priority'])
        .where('label_id', 'in', from),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await db
    .insertInto('subscriptions')
    .columns(['subscribable_type', 'subscribable_id', 'user_id', 'subscribed', 'created_at'])
    .expression((eb) =>
      eb
        .selectFrom('subscriptions')
        .select((row) => [
          'subscribable_type',
          row.lit(to).as('subscribable_id'),
          'user_id',
          'subscribed',
          'created_at',
        ])
        .where('subscribable_type', '=', 'Label')
        .where('subscribable_id', 'in', from),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
