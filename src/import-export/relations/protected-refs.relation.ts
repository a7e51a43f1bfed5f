import { pluck } from '../../core/pluck.ts';
import { PAGE, pagedRelation } from './relation.ts';

/** Protected branches or tags of a project, without access of single users, groups or keys. */
export const protectedRefs = (name: 'protected_branches' | 'protected_tags') =>
  pagedRelation(name, async ({ db, portable }, after) => {
    const rows = await db
      .selectFrom('protected_refs')
      .selectAll()
      .where('project_id', '=', portable.id)
      .where('kind', '=', name === 'protected_branches' ? 'branch' : 'tag')
      .where('id', '>', after)
      .orderBy('id')
      .limit(PAGE)
      .execute();
    const levels = await db
      .selectFrom('protected_ref_levels')
      .select(['protected_ref_id', 'action', 'access_level'])
      .where('protected_ref_id', 'in', pluck(rows, 'id'))
      .where('access_level', 'is not', null)
      .orderBy('id')
      .execute();
    return rows.map((row) => {
      const levelsFor = (refAction: string) =>
        levels
          .filter(({ protected_ref_id, action }) => protected_ref_id === row.id && action === refAction)
          .map(({ access_level }) => ({ access_level }));
      return {
        key: row.id,
        object: {
          name: row.name,
          created_at: row.created_at,
          updated_at: row.updated_at,
          ...(row.kind === 'tag'
            ? { create_access_levels: levelsFor('create') }
            : {
                allow_force_push: row.allow_force_push === 1,
                code_owner_approval_required: row.code_owner_approval_required === 1,
                push_access_levels: levelsFor('push'),
                merge_access_levels: levelsFor('merge'),
                unprotect_access_levels: levelsFor('unprotect'),
              }),
        },
      };
    });
  });
