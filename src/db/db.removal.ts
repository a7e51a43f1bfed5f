import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { Db, Schema } from './db.schema.ts';
import type { GroupIds } from './lifecycle.ts';
import type { OwnerKind, Ownership } from './ownership.ts';
import { ownerships } from './ownerships.ts';
import { USER_COLUMNS, type UserColumnRule } from './user-columns.ts';

/** Ids of removed rows: a list, or a query for them. */
type Ids = readonly number[] | SelectQueryBuilder<Schema, never, { id: number }> | GroupIds | RawBuilder<unknown>;
type Row = Record<string, unknown>;

const tables = Object.entries(ownerships) as [keyof Schema & string, Ownership<Row>][];

const isList = (ids: Ids): ids is readonly number[] => Array.isArray(ids);
const within = (ids: Ids): RawBuilder<unknown> => (isList(ids) ? sql`(${sql.join(ids)})` : sql`(${ids})`);

/**
 * Removes rows that belong to removed rows without a foreign key, and recursively what belongs to those. Must be called
 * in the transaction that removes the rows, before it does.
 */
export async function removeBelongings(db: Db, kind: OwnerKind, ids: Ids): Promise<void> {
  if (isList(ids) && ids.length === 0) return;
  for (const [table, { called, ofGroup, belongsTo = [] }] of tables) {
    const rows = sql.table(table);
    if (kind === 'group' && called !== undefined && ofGroup !== undefined) {
      await removeBelongings(db, called, sql`select id from ${rows} where ${sql.ref(ofGroup)} in ${within(ids)}`);
    }
    for (const { type, id, goesWith, takesNote, instead } of belongsTo) {
      if (!goesWith.includes(kind)) continue;
      const theirs = sql`${sql.ref(type)} = ${kind} and ${sql.ref(id)} in ${within(ids)}`;
      if (instead !== undefined) {
        const values = Object.entries(instead).map(([column, value]) => sql`${sql.ref(column)} = ${value}`);
        await sql`update ${rows} set ${sql.join(values)} where ${theirs}`.execute(db);
        continue;
      }
      if (called !== undefined) await removeBelongings(db, called, sql`select id from ${rows} where ${theirs}`);
      if (takesNote !== undefined) {
        const column = sql.ref(takesNote);
        const notes = sql`select ${column} from ${rows} where ${theirs} and ${column} is not null`;
        await removeBelongings(db, 'Note', notes);
        await sql`delete from notes where id in (${notes})`.execute(db);
      }
      await sql`delete from ${rows} where ${theirs}`.execute(db);
    }
  }
}

/** Replaces a user by the ghost user, or null, in rows that outlive the user (`user-columns.ts`). */
export async function reassignToGhostUser(db: Db, userId: number, ghostId: number): Promise<void> {
  for (const [table, columns] of Object.entries(USER_COLUMNS)) {
    for (const [column, fate] of Object.entries(columns as Record<string, UserColumnRule>)) {
      if (fate !== 'ghost' && fate !== 'nobody') continue;
      const user = fate === 'ghost' ? ghostId : null;
      await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${user} where ${sql.ref(column)} = ${userId}`.execute(
        db,
      );
    }
  }
}
