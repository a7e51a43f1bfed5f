import { PAGE, pagedRelation } from './relation.ts';

/** Name of the relation of users named by all others; exported last. */
export const USER_CONTRIBUTIONS = 'user_contributions';

/** The users named by the other relations. */
export const userContributions = pagedRelation(USER_CONTRIBUTIONS, async ({ db, portable }, after) => {
  const rows = await db
    .selectFrom('relation_export_users')
    .innerJoin('relation_exports', 'relation_exports.id', 'export_id')
    .innerJoin('users', 'users.id', 'relation_export_users.user_id')
    .select(['users.id', 'username', 'name', 'public_email'])
    .where(`${portable.kind}_id`, '=', portable.id)
    .where('relation', '=', USER_CONTRIBUTIONS)
    .where('relation_export_users.user_id', '>', after)
    .orderBy('relation_export_users.user_id')
    .limit(PAGE)
    .execute();
  return rows.map((object) => ({ key: object.id, object }));
});
