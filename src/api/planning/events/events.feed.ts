import { sql } from 'kysely';
import { fewProjectsOf } from '../../../access/access.membership.ts';
import type { Caller } from '../../../access/caller.ts';
import type { ProjectPermissions } from '../../../access/permissions.ts';
import { AccessLevel } from '../../../core/access-levels.ts';
import { today } from '../../../core/clock.ts';
import { countOf, MAX_COUNTED, type PageRange } from '../../../db/paginate.ts';
import type { Event } from '../../../db/tables/events.table.ts';
import type { Deps } from '../../../deps.ts';
import { type Filters, filteredEntriesOf } from './events.filters.ts';
import { readableEventsIn } from './events.readable.ts';
import { type Rights, rightsIn, rightsOf, visible } from './events.rights.ts';
import { readProject } from './project.ts';
import { scanEvents } from './walk.ts';

/** Request of a caller for a list of the feed. */
export interface FeedRequest {
  caller: Caller;
  filters: Filters;
  page: PageRange;
  signal: AbortSignal;
}

export interface FeedPage {
  rows: Event[];
  /** Null if there are too many entries to count. */
  total: number | null;
  more: boolean;
}

/** Maximum number of projects to read one by one; entries of more projects are read together. */
const FEW_PROJECTS = 100;
/** Number of windows in which most requests succeed, before the projects of the author are loaded. */
const NEAR_WINDOWS = 2;
/** The feed of what nobody may read. */
export const EMPTY: FeedPage = { rows: [], total: 0, more: false };

/**
 * Number of entries in the projects that the caller may read, cached until the next write.
 * @returns null for more than 10,000 entries, readable or not; these are counted along an index only
 */
function totalOf(
  deps: Deps,
  { caller, filters }: Pick<FeedRequest, 'caller' | 'filters'>,
  rights: ReadonlyMap<number, Rights>,
  authorId?: number,
): Promise<number | null> {
  const key = JSON.stringify([caller.user?.id, caller.admin, authorId, filters, [...rights]]);
  return deps.snapshot.get(`feed-total:${key}`, async () => {
    const entries = filteredEntriesOf(deps.db, { authorId }, filters)
      .where('events.project_id', 'in', [...rights.keys()])
      .select('events.id');
    if ((await countOf(deps.db, entries)) > MAX_COUNTED) return null;
    return countOf(deps.db, entries.where(readableEventsIn(caller, rights)));
  });
}

/** Builds a page from a query that asked for one entry more than its size. */
const pageOf = (events: Event[], size: number, total: number | null): FeedPage => ({
  rows: events.slice(0, size),
  total,
  more: events.length > size,
});

/** The activity of a project, without targets that the caller may not read. */
export async function projectFeed(
  deps: Deps,
  projectId: number,
  permissions: ProjectPermissions,
  request: FeedRequest,
): Promise<FeedPage> {
  const rights = rightsOf(permissions);
  if (rights === null) return EMPTY;
  const { caller, filters, page } = request;
  const { offset, size } = page;
  const events = await readProject(deps.db, { projectId, caller, rights, filters }, { offset, size: size + 1 });
  const known = events.length <= size && (events.length > 0 || offset === 0);
  const total = known ? offset + events.length : await totalOf(deps, request, new Map([[projectId, rights]]));
  return pageOf(events, size, total);
}

/**
 * The activity of a user, or of all users in the projects that the caller is a member of, without targets that the
 * caller may not read.
 */
export async function userFeed(deps: Deps, authorId: number | undefined, request: FeedRequest): Promise<FeedPage> {
  const { caller, filters, page, signal } = request;
  const { offset: skip, size } = page;
  const way = { caller, authorId, filters, signal };
  const range = { skip, take: size + 1 };
  // Usually the newest entries of a user are readable, and often these are enough.
  const near = authorId === undefined ? null : await scanEvents(deps, way, range, { windows: NEAR_WINDOWS });
  if (near !== null && near.total !== null) return pageOf(near.events, size, near.total);
  const key = `feed-rights:${authorId ?? ''}:${caller.user?.id ?? ''}:${caller.admin}:${today(deps.clock)}`;
  const among = await deps.snapshot.get(key, () => fewRights(deps, caller, authorId));
  if (among?.size === 0) return EMPTY;
  const total = among === null ? null : await totalOf(deps, request, among, authorId);
  if (total !== null && skip >= total) return pageOf([], size, total);
  const scan = near !== null && near.events.length > size ? near : await scanEvents(deps, { ...way, among }, range);
  return pageOf(scan.events, size, total ?? scan.total);
}

/** The caller's rights in the projects of the list; null for many projects. */
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

/**
 * Projects with activity of an author that the caller may see. Reads one index entry per project, not one per event.
 */
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
