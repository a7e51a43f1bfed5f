import { AccessLevel, MEMBER_LEVELS } from '../../../core/access-levels.ts';
import type { Writer } from '../importing.ts';
import { day, integer, Unfit } from '../take.ts';
import { startedAt } from './rows.ts';

/** Memberships of a group or project, which wait for the users to whom the contributions of placeholders are given. */
export const memberWriter: Writer = {
  atOnce: 100,
  async write(importing, db, given) {
    const { kind, id } = importing.place;
    const ids = given.flatMap(({ user_id }) => integer(user_id, 1) ?? []);
    const people = await importing.people.rows(db, ids);
    const rowOf = new Map(people.map(({ id, source_user_identifier }) => [Number(source_user_identifier), id]));
    const rows = given.flatMap((each) => {
      const access_level = MEMBER_LEVELS.find((level) => level === each.access_level);
      if (access_level === undefined) throw new Unfit('a member has a role that is not known here');
      const source_user_id = rowOf.get(integer(each.user_id, 1) ?? 0);
      if (source_user_id === undefined) return [];
      return [
        {
          source_user_id,
          group_id: kind === 'group' ? id : null,
          project_id: kind === 'project' ? id : null,
          // Nobody owns a project alone.
          access_level: kind === 'group' ? access_level : Math.min(access_level, AccessLevel.maintainer),
          expires_at: day(each.expires_at),
          created_at: startedAt(importing, each),
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
