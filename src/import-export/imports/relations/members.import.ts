import { AccessLevel, MEMBER_LEVELS } from '../../../core/access-levels.ts';
import { coerceDay, coerceInteger, InvalidImportObject } from '../coerce-import.ts';
import type { RelationWriter } from '../import-context.ts';
import { startedAt } from './rows.ts';

/** Imports memberships, which stay pending until the contributions of their placeholder are reassigned. */
export const memberWriter: RelationWriter = {
  batchSize: 100,
  async write(context, db, object) {
    const { kind, id } = context.place;
    const ids = object.flatMap(({ user_id }) => coerceInteger(user_id, 1) ?? []);
    const users = await context.users.rows(db, ids);
    const rowOf = new Map(users.map(({ id, source_user_identifier }) => [Number(source_user_identifier), id]));
    const rows = object.flatMap((each) => {
      const access_level = MEMBER_LEVELS.find((level) => level === each.access_level);
      if (access_level === undefined) throw new InvalidImportObject('the role of a member is unknown');
      const source_user_id = rowOf.get(coerceInteger(each.user_id, 1) ?? 0);
      if (source_user_id === undefined) return [];
      return [
        {
          source_user_id,
          group_id: kind === 'group' ? id : null,
          project_id: kind === 'project' ? id : null,
          // Projects have no direct owners.
          access_level: kind === 'group' ? access_level : Math.min(access_level, AccessLevel.maintainer),
          expires_at: coerceDay(each.expires_at),
          created_at: startedAt(context, each),
        },
      ];
    });
    if (rows.length === 0) return;
    await db
      .insertInto('import_placeholder_memberships')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  },
};
