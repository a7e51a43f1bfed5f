import { PAGE, pagedRelation } from './relation.ts';

/** Badges of a group or project. */
export const badgesOf = (name: 'badges' | 'project_badges') =>
  pagedRelation(name, async ({ db, portable }, after) => {
    const rows = await db
      .selectFrom('badges')
      .selectAll()
      .where(`${portable.kind}_id`, '=', portable.id)
      .where('id', '>', after)
      .orderBy('id')
      .limit(PAGE)
      .execute();
    return rows.map((row) => ({
      key: row.id,
      object: { ...row, type: portable.kind === 'group' ? 'GroupBadge' : 'ProjectBadge' },
    }));
  });
