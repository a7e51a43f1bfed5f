import { sql } from 'kysely';
import { timestamp } from '../../../core/clock.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Deps } from '../../../deps.ts';

/** Records the removal of labels from all issues and merge requests, before the labels are deleted. */
export async function recordLabelDeletion(
  deps: Deps,
  db: Db,
  labelIds: readonly number[],
  userId: number | null,
): Promise<void> {
  if (labelIds.length === 0) return;
  await db
    .insertInto('resource_events')
    .columns(['kind', 'issuable_type', 'issuable_id', 'project_id', 'user_id', 'action', 'created_at'])
    .expression((eb) =>
      eb
        .selectFrom('issuable_labels')
        .select(({ val }) => [
          val('label' as const).as('kind'),
          'issuable_type',
          'issuable_id',
          'project_id',
          sql<number | null>`cast(${userId} as bigint)`.as('user_id'),
          val('remove' as const).as('action'),
          val(timestamp(deps.clock)).as('created_at'),
        ])
        .where('label_id', 'in', labelIds),
    )
    .execute();
}

/** Records the removal of a milestone from all issues and merge requests, before it is deleted. */
export async function recordMilestoneDeletion(
  deps: Deps,
  db: Db,
  milestoneId: number,
  userId: number | null,
): Promise<void> {
  for (const [table, type] of [
    ['issues', 'Issue'],
    ['merge_requests', 'MergeRequest'],
  ] as const) {
    await db
      .insertInto('resource_events')
      .columns(['kind', 'issuable_type', 'issuable_id', 'project_id', 'user_id', 'action', 'state', 'created_at'])
      .expression((eb) =>
        eb
          .selectFrom(table)
          .select(({ val }) => [
            val('milestone' as const).as('kind'),
            val(type).as('issuable_type'),
            'id as issuable_id',
            'project_id',
            sql<number | null>`cast(${userId} as bigint)`.as('user_id'),
            val('remove' as const).as('action'),
            'state',
            val(timestamp(deps.clock)).as('created_at'),
          ])
          .where('milestone_id', '=', milestoneId),
      )
      .execute();
  }
}

/** Moves events about merged labels (or milestones) to the one that remains. */
export async function mergeSubjects(
  db: Db,
  column: 'label_id' | 'milestone_id',
  from: readonly number[],
  to: number,
): Promise<void> {
  if (from.length === 0) return;
  await db
    .updateTable('resource_events')
    .set({ [column]: to })
    .where(column, 'in', from)
    .execute();
}
