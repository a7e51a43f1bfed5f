import { sql } from 'kysely';
import type { Caller } from '../../access/caller.ts';
import { fewProjectsOf } from '../../access/membership.ts';
import type { ProjectPermissions } from '../../access/permissions.ts';
import { AccessLevel } from '../../core/access-levels.ts';
import { today } from '../../core/clock.ts';
import type { Event } from '../../db/tables/events.ts';
import type { Deps } from '../../deps.ts';
import type { Filters } from './filters.ts';
import { type Rights, rightsIn, rightsOf, visible } from './rights.ts';
import { countStreams, readStreams, type Streams, streamsOf } from './streams.ts';
import { type Found, MAX_WINDOW, walk } from './walk.ts';

/** A list of the feed as a caller asks for it. */
export interface Asked {
  caller: Caller;
  filters: Filters;
  page: { offset: number; size: number };
  signal: AbortSignal;
}

export interface Listed {
  events: Event[];
  /** Null where there are very many, or where they lie among very many. */
  total: number | null;
  more: boolean;
}

/** Projects that are read one by one at most; the entries of more are walked through together. */
const FEW_PROJECTS = 100;

/** How many entries the streams have, remembered until something is written; null when they are very many. */
const totalOf = (deps: Deps, key: string, streams: Streams): Promise<number | null> =>
  deps.snapshot.get(`${key}:${JSON.stringify(streams.filters)}`, () => countStreams(deps.db, streams));

async function pageOfStreams(deps: Deps, key: string, streams: Streams, { page }: Asked): Promise<Listed> {
  const { offset, size } = page;
  const events = await readStreams(deps.db, streams, { offset, size: size + 1 });
  const more = events.length > size;
  const known = !more && (events.length > 0 || offset === 0);
  const total = known ? offset + events.length : await totalOf(deps, key, streams);
  return { events: events.slice(0, size), total, more };
}

/** The activity of a project, as far as the caller may read what it tells of. */
export async function projectFeed(
  deps: Deps,
  projectId: number,
  permissions: ProjectPermissions,
  asked: Asked,
): Promise<Listed> {
  const rights = rightsOf(permissions);
  const streams = streamsOf(rights === null ? new Map() : new Map([[projectId, rights]]), asked.filters);
  const { caller, filters } = asked;
  return pageOfStreams(
    deps,
    `feed:p${projectId}:${JSON.stringify(rights)}:${whoIs(caller)}`,
    { streams, caller, filters },
    asked,
  );
}

/** What a caller's own entries and rights hang on. */
const whoIs = ({ user, admin }: Caller) => `${user?.id ?? ''}:${admin}`;

/**
 * The activity of a user, or of everyone in the projects that the caller is a member of, as far as the caller may read
 * what it tells of.
 */
export async function userFeed(deps: Deps, authorId: number | undefined, asked: Asked): Promise<Listed> {
  const { caller, filters, page, signal } = asked;
  const { offset: skip, size } = page;
  const way = { caller, authorId, filters, signal };
  const wanted = { skip, take: size + 1 };
  const pageOf = ({ events, total }: Found): Listed => ({
    events: events.slice(0, size),
    total,
    more: events.length > size,
  });
  // Mostly the newest entries of a user are readable, and often they are all.
  const near =
    authorId === undefined || skip + size >= MAX_WINDOW ? null : await walk(deps, way, wanted, { windows: 1 });
  if (near !== null && near.total !== null) return pageOf(near);
  const key = `feed:${authorId ?? 'all'}:${whoIs(caller)}:${today(deps.clock)}`;
  const rights = await deps.snapshot.get(key, () => fewRights(deps, caller, authorId));
  const enough = near !== null && near.events.length > size ? near : null;
  if (rights === null) return pageOf(enough ?? (await walk(deps, way, wanted)));
  const streams = { streams: streamsOf(rights, filters), caller, authorId, filters };
  if (enough === null) return pageOfStreams(deps, key, streams, asked);
  return { ...pageOf(enough), total: await totalOf(deps, key, streams) };
}

/** The caller's rights in the projects that the list is about; null when they are many. */
async function fewRights(
  deps: Deps,
  caller: Caller,
  authorId: number | undefined,
): Promise<Map<number, Rights> | null> {
  const day = today(deps.clock);
  const ids =
    authorId === undefined
      ? await fewProjectsOf(deps.db, caller.user!.id, AccessLevel.guest, day, FEW_PROJECTS)
      : await visibleProjectsOf(deps, caller, authorId, day);
  return ids === null ? null : rightsIn(deps, caller, ids, authorId === undefined);
}

/** Projects that an author was active in and the caller sees: the index is read once for each project, not each entry. */
async function visibleProjectsOf(deps: Deps, caller: Caller, authorId: number, day: string): Promise<number[] | null> {
  const { rows } = await sql<{ id: number }>`
    with recursive seen (id) as (
      select min(project_id) from events where author_id = ${authorId}
      union all
      select (select min(e.project_id) from events e where e.author_id = ${authorId} and e.project_id > seen.id)
      from seen where seen.id is not null
    )
    select seen.id from seen
    where seen.id is not null and exists (
      select 1 from projects where projects.id = seen.id and ${visible(caller, day)})
    limit ${FEW_PROJECTS + 1}`.execute(deps.db);
  return rows.length > FEW_PROJECTS ? null : rows.map(({ id }) => id);
}
