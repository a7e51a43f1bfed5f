import { type SelectQueryBuilder, sql } from 'kysely';
import type { Db, Schema } from '../../../db/db.schema.ts';
import type { Event } from '../../../db/tables/events.table.ts';
import { entriesOf, type Filters } from './events.filters.ts';

type Place = Pick<Event, 'id' | 'created_at'>;
/** The columns of an entry that a walk needs: its place, and its project for the check of rights. */
export type EventCursor = Place & Pick<Event, 'project_id'>;

/** Position of a walk: author, projects, and the last entry it has passed. */
export interface EventCursorPosition {
  authorId: number | undefined;
  /** Few projects; undefined for all projects except those of `without`. */
  projectIds: readonly number[] | undefined;
  without: readonly number[];
  filters: Filters;
  after: Place | undefined;
}

export interface EventCursorPage {
  /** Entries that match the filters, readable or not, in the order of the walk. */
  marks: EventCursor[];
  /** The entry after which the walk continues; undefined at the end. */
  last: Place | undefined;
}

/** Maximum number of entries to examine for each requested one. */
const LOOKED_AT = 10;

const goOn = <O>(query: SelectQueryBuilder<Schema, 'events', O>, { filters, after }: EventCursorPosition) =>
  after === undefined
    ? query
    : query.where((eb) =>
        eb(
          eb.refTuple('events.created_at', 'events.id'),
          filters.direction === 'desc' ? '<' : '>',
          eb.tuple(after.created_at, after.id),
        ),
      );

/**
 * The next entries of a walk, at most `limit`. May be empty before the end, if none of the examined entries matches.
 */
export const nextEventCursors = (db: Db, at: EventCursorPosition, limit: number): Promise<EventCursorPage> =>
  at.projectIds === undefined ? fromAll(db, at, limit) : fromEach(db, at, at.projectIds, limit);

async function fromAll(db: Db, at: EventCursorPosition, limit: number): Promise<EventCursorPage> {
  const { authorId, without, filters } = at;
  const { action, targetType, direction } = filters;
  const narrowed = action !== undefined || targetType !== undefined || without.length > 0;
  const looked = narrowed ? limit * LOOKED_AT : limit;
  const entries = goOn(entriesOf(db, { authorId }, filters), at);
  let query = db
    .selectFrom(
      entries
        .select(['events.id', 'events.project_id', 'events.action', 'events.target_type', 'events.created_at'])
        .limit(looked)
        .as('near'),
    )
    .select(['id', 'project_id', 'created_at'])
    .orderBy('created_at', direction)
    .orderBy('id', direction)
    .limit(limit);
  if (action !== undefined) query = query.where('action', '=', action);
  if (targetType !== undefined) query = query.where('target_type', '=', targetType);
  if (without.length > 0) query = query.where('project_id', 'not in', without);
  const marks = await query.execute();
  if (marks.length === limit) return { marks, last: marks.at(-1) };
  const last = await entries
    .select(['events.id', 'events.created_at'])
    .limit(1)
    .offset(looked - 1)
    .executeTakeFirst();
  return { marks, last };
}

/** Entries of few projects: reads each along its index, so that entries of other projects in between cost nothing. */
async function fromEach(
  db: Db,
  at: EventCursorPosition,
  projectIds: readonly number[],
  limit: number,
): Promise<EventCursorPage> {
  if (projectIds.length === 0) return { marks: [], last: undefined };
  const order = sql.raw(at.filters.direction === 'desc' ? 'created_at desc, id desc' : 'created_at, id');
  const rest = sql`${conditions(at)} order by ${order} limit ${limit}`;
  const parts = projectIds.map(
    (id) => sql`select * from (select id, project_id, created_at from events where project_id = ${id}${rest}) part`,
  );
  const { rows: marks } = await sql<EventCursor>`
    select * from (${sql.join(parts, sql` union all `)}) marks order by ${order} limit ${limit}`.execute(db);
  return { marks, last: marks.length === limit ? marks.at(-1) : undefined };
}

function conditions({ authorId, filters, after }: EventCursorPosition) {
  const { action, targetType, since, until, direction } = filters;
  const all = [sql``];
  if (authorId !== undefined) all.push(sql`author_id = ${authorId}`);
  if (action !== undefined) all.push(sql`action = ${action}`);
  if (targetType !== undefined) all.push(sql`target_type = ${targetType}`);
  if (since !== undefined) all.push(sql`created_at > ${since}`);
  if (until !== undefined) all.push(sql`created_at < ${until}`);
  if (after !== undefined) {
    const beyond = sql.raw(direction === 'desc' ? '<' : '>');
    all.push(sql`(created_at, id) ${beyond} (${after.created_at}, ${after.id})`);
  }
  return sql.join(all, sql` and `);
}
