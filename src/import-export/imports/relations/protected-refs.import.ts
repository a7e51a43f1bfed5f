import type { ProtectedRefLevelsTable } from '../../../db/tables/protected-ref-levels.table.ts';
import { coerceFlag, coerceInteger, coerceObjects, type ImportedObject, requireText } from '../coerce-import.ts';
import type { RelationWriter } from '../import-context.ts';
import { startedAt } from './rows.ts';

const LEVELS: readonly number[] = [0, 30, 40, 60];
type Action = ProtectedRefLevelsTable['action'];
const ACTIONS: Readonly<Record<'branch' | 'tag', readonly Action[]>> = {
  branch: ['push', 'merge', 'unprotect'],
  tag: ['create'],
};
const MAINTAINER = 40;

/** Access levels for an action; maintainers by default. */
function levelsFor(object: ImportedObject, action: Action): number[] {
  const levels = coerceObjects(object[`${action}_access_levels`]).flatMap(
    ({ access_level }) => coerceInteger(access_level) ?? [],
  );
  const known = [...new Set(levels.filter((level) => LEVELS.includes(level)))];
  return known.length > 0 || action === 'unprotect' ? known : [MAINTAINER];
}

/** Imports protected branches or tags, replacing the automatic protection of the default branch. */
export const protectionWriter = (kind: 'branch' | 'tag'): RelationWriter => ({
  batchSize: 50,
  async write(context, db, object) {
    for (const each of object) {
      const name = requireText(each.name, 'name');
      const project_id = context.place.id;
      await db
        .deleteFrom('protected_refs')
        .where('project_id', '=', project_id)
        .where('kind', '=', kind)
        .where('name', '=', name)
        .execute();
      const created_at = startedAt(context, each);
      const { id } = await db
        .insertInto('protected_refs')
        .values({
          project_id,
          kind,
          name,
          allow_force_push: coerceFlag(each.allow_force_push),
          code_owner_approval_required: coerceFlag(each.code_owner_approval_required),
          created_at,
          updated_at: created_at,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      const levels = ACTIONS[kind].flatMap((action) =>
        levelsFor(each, action).map((access_level) => ({
          protected_ref_id: id,
          action,
          access_level,
          user_id: null,
          group_id: null,
          deploy_key_id: null,
        })),
      );
      if (levels.length > 0) await db.insertInto('protected_ref_levels').values(levels).execute();
    }
  },
});
