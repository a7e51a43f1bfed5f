import { AccessLevel } from '../../core/access-levels.ts';
import { PAGE, pagedRelation } from './relation.ts';

/** Direct members of a project, for archives. Invitations are not exported; owners become maintainers. */
export const projectMembers = pagedRelation('project_members', async ({ db, portable, names }, after) => {
  const rows = await db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'user_id')
    .select(['members.id', 'user_id', 'access_level', 'members.created_at', 'expires_at', 'username', 'public_email'])
    .where('source_type', '=', 'project')
    .where('source_id', '=', portable.id)
    .where('members.id', '>', after)
    .orderBy('members.id')
    .limit(PAGE)
    .execute();
  return rows.map(({ id, user_id, access_level, created_at, expires_at, username, public_email }) => {
    names(user_id);
    return {
      key: id,
      object: {
        ...{ user_id, source_type: 'Project', created_at, expires_at },
        access_level: Math.min(access_level, AccessLevel.maintainer),
        user: { id: user_id, username, public_email },
      },
    };
  });
});
