import { PAGE, pagedRelation } from './relation.ts';

/** Milestones of a group or project. */
export const milestones = pagedRelation('milestones', async ({ db, portable }, after) => {
  const rows = await db
    .selectFrom('milestones')
    .selectAll()
    .where(`${portable.kind}_id`, '=', portable.id)
    .where('id', '>', after)
    .orderBy('id')
    .limit(PAGE)
    .execute();
  return rows.map((object) => ({ key: object.id, object }));
});
