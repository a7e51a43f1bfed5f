import { sql } from 'kysely';
import type { Db } from '../../db/schema.ts';
import type { Event } from '../../db/tables/events.ts';
import { entriesOf, type Filters } from './filters.ts';

/** As much of an entry as it takes to find out whether it can be readable, and to go on after it. */
export type Mark = Pick<Event, 'id' | 'project_id' | 'action' | 'target_type' | 'created_at'>;

/** Where a walk is: whose entries of which projects, and what it has passed last. */
export interface Position {
  authorId: number | undefined;
  /** Few; undefined for all projects. */
  projectIds: readonly number[] | undefined;
  filters: Filters;
  after: Mark | undefined;
}

/**
 * The next entries of a walk, readable or not, in its order. Those of few projects are read project by project, each
 * along its index as far as this page of them can reach, so that it does not matter how many others lie between; only
 * then are they narrowed down by action and target already.
 */
export async function nextMarks(db: Db, at: Position, limit: number): Promise<Mark[]> {
  const { authorId, projectIds, filters, after } = at;
  if (projectIds === undefined) {
    const query = entriesOf(db, { authorId }, filters)
      .select(['events.id', 'events.project_id', 'events.action', 'events.target_type', 'events.created_at'])
      .limit(limit);
    if (after === undefined) return query.execute();
    const { created_at, id } = after;
    return query
      .where((eb) =>
        eb(
          eb.refTuple('events.created_at', 'events.id'),
          filters.direction === 'desc' ? '<' : '>',
          eb.tuple(created_at, id),
        ),
      )
      .execute();
  }
  if (projectIds.length === 0) return [];
  const order = sql.raw(filters.direction === 'desc' ? 'created_at desc, id desc' : 'created_at, id');
  const rest = sql`${conditions(at)} order by ${order} limit ${limit}`;
  const parts = projectIds.map(
    (id) => sql`select * from (
      select id, project_id, action, target_type, created_at from events where project_id = ${id}${rest}) part`,
  );
  const { rows } = await sql<Mark>`
    select * from (${sql.join(parts, sql` union all `)}) marks order by ${order} limit ${limit}`.execute(db);
  return rows;
}

function conditions({ authorId, filters, after }: Position) {
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
