import { sql } from 'kysely';
import { timestamp } from '../../../core/clock.ts';
import { recordNotFound, refused } from '../../../core/core.errors.ts';
import { milestoneFacts } from '../../../core/event-facts.ts';
import { nextIid } from '../../../db/iids.ts';
import type { Milestone } from '../../../db/tables/milestones.table.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Deps } from '../../../deps.ts';
import { mergeSubjects } from '../resource-events/resource-events.removal.ts';
import type { MilestoneOwner } from './milestone-owner.ts';
import { getMilestone, notSaved } from './milestones.writes.ts';

/**
 * Promotes a project milestone to a group milestone. Milestones with the same title in other projects of the group are
 * merged into it.
 * @throws ApiError 400 if the group has one with that title or the project is not in a group, 404
 */
export async function promoteMilestone(
  deps: Deps,
  owner: MilestoneOwner,
  group: Namespace,
  id: number,
  actorId: number | null,
): Promise<Milestone> {
  if (group.kind !== 'group') throw refused('Project does not belong to a group.');
  const now = timestamp(deps.clock);
  return deps.db.transaction().execute(async (db) => {
    await db.updateTable('namespaces').set({ kind: sql<'group'>`kind` }).where('id', '=', group.id).execute();
    const { title, description, state, start_date, due_date } = await getMilestone(db, owner, id);
    const taken = await db
      .selectFrom('milestones')
      .select('id')
      .where('group_id', '=', group.id)
      .where('title', '=', title)
      .executeTakeFirst();
    if (taken !== undefined) {
      throw notSaved('create', { title: ['already being used for another group or project milestone.'] });
    }
    const row = await db
      .insertInto('milestones')
      .values({
        iid: await nextIid(db, { source_type: 'group', source_id: group.id, usage: 'milestones' }),
        project_id: null,
        group_id: group.id,
        ...{ title, description, state, start_date, due_date, created_at: now, updated_at: now },
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    const milestones = await db
      .selectFrom('milestones')
      .select('id')
      .where('title', '=', title)
      .where('project_id', 'in', db.selectFrom('projects').select('id').where('namespace_id', '=', group.id))
      .execute();
    const merged = milestones.map((each) => each.id);
    if (merged.length === 0) throw recordNotFound();
    await mergeSubjects(db, 'milestone_id', merged, row.id);
    for (const table of ['issues', 'merge_requests'] as const) {
      await db.updateTable(table).set({ milestone_id: row.id }).where('milestone_id', 'in', merged).execute();
    }
    const releases = await db
      .selectFrom('milestone_releases')
      .select('release_id')
      .distinct()
      .where('milestone_id', 'in', merged)
      .execute();
    if (releases.length > 0) {
      const values = releases.map(({ release_id }) => ({ release_id, milestone_id: row.id }));
      await db.insertInto('milestone_releases').values(values).execute();
    }
    await db.deleteFrom('milestones').where('id', 'in', merged).execute();
    const { id: milestone_id, project_id, group_id } = row;
    await deps.events.record(
      db,
      'milestone.created',
      { milestone_id, project_id, group_id, milestone: milestoneFacts(row) },
      { groupId: group_id, actorId },
    );
    return row;
  });
}
