import type { Deps } from '../../../deps.ts';

/** Has the subscriptions to a group's labels go with the group. */
export function takePartInGroupRemoval(deps: Deps): void {
  deps.lifecycle.groupsRemoved.add(async (db, ids) => {
    const labels = db.selectFrom('labels').select('id').where('group_id', 'in', ids);
    await db
      .deleteFrom('subscriptions')
      .where('subscribable_type', '=', 'Label')
      .where('subscribable_id', 'in', labels)
      .execute();
  });
}
