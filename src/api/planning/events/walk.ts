import { setImmediate } from 'node:timers/promises';
import type { Caller } from '../../../access/caller.ts';
import type { Event } from '../../../db/tables/events.table.ts';
import type { Deps } from '../../../deps.ts';
import { type EventCursor, type EventCursorPage, nextEventCursors } from './event-cursors.ts';
import type { Filters } from './events.filters.ts';
import { readableEventsIn } from './events.readable.ts';
import { type Rights, rightsIn } from './events.rights.ts';

export interface EventScan {
  caller: Caller;
  /** Author of the entries; undefined for all users in the projects that the caller is a member of. */
  authorId?: number | undefined;
  /** The projects of the list with the caller's rights; null if there are many. */
  among?: ReadonlyMap<number, Rights> | null;
  filters: Filters;
  signal: AbortSignal;
}

export interface ScanResult {
  /** Readable entries after the skipped ones, at most as many as requested. */
  events: Event[];
  /** Total number of readable entries; null if the walk did not reach the end. */
  total: number | null;
}

const FIRST_WINDOW = 50;
const MAX_WINDOW = 2_000;
/** Window size per project when few projects are read one by one; deeper pages are searched in all projects. */
const MAX_WINDOW_AMONG = 200;
const DEEP = 1_000;
/** Maximum number of hidden projects to exclude from the following windows. */
const MAX_WITHOUT = 500;

/**
 * Scans the entries in the order of the list, window by window, and collects the readable ones. Fast if most entries
 * are readable. Yields to other work after each window.
 * @param range `skip`: number of readable entries to skip; `take`: number to return
 * @param options `windows`: maximum number of windows
 */
export async function scanEvents(
  deps: Deps,
  { caller, authorId, among = null, filters, signal }: EventScan,
  { skip, take }: { skip: number; take: number },
  options: { windows?: number } = {},
): Promise<ScanResult> {
  const { windows = Number.POSITIVE_INFINITY } = options;
  const projectIds = among === null || skip > DEEP ? undefined : [...among.keys()];
  const maxWindow = projectIds === undefined ? MAX_WINDOW : MAX_WINDOW_AMONG;
  const known = new Map<number, Rights | null>(among);
  const events: Event[] = [];
  let readable = 0;
  let after: EventCursorPage['last'];
  let size = Math.min(Math.max(FIRST_WINDOW, skip + take), maxWindow);
  for (let n = 0; n < windows; n += 1) {
    if (n > 0) await setImmediate();
    signal.throwIfAborted();
    const without = [...known].flatMap(([id, rights]) => (rights === null ? id : [])).slice(0, MAX_WITHOUT);
    const { marks, last } = await nextEventCursors(deps.db, { authorId, projectIds, without, filters, after }, size);
    if (among === null) await learn(deps, caller, marks, authorId === undefined, known);
    for (const event of await read(deps, caller, marks, known)) {
      readable += 1;
      if (readable > skip && events.length < take) events.push(event);
    }
    if (last === undefined) return { events, total: readable };
    if (events.length >= take) break;
    after = last;
    size = Math.min(size * 4, maxWindow);
  }
  return { events, total: null };
}

/** Loads the rights in projects that are not known yet; null for none. */
async function learn(
  deps: Deps,
  caller: Caller,
  marks: readonly EventCursor[],
  membersOnly: boolean,
  known: Map<number, Rights | null>,
): Promise<void> {
  const unknown = [...new Set(marks.map(({ project_id }) => project_id))].filter((id) => !known.has(id));
  const loaded = await rightsIn(deps, caller, unknown, membersOnly);
  for (const id of unknown) known.set(id, loaded.get(id) ?? null);
}

/** Loads the readable entries of the marks, in the order of the marks. */
async function read(
  deps: Deps,
  caller: Caller,
  marks: readonly EventCursor[],
  known: ReadonlyMap<number, Rights | null>,
): Promise<Event[]> {
  const rights = new Map<number, Rights>();
  const ids: number[] = [];
  for (const { id, project_id } of marks) {
    const projectRights = known.get(project_id) ?? null;
    if (projectRights === null) continue;
    rights.set(project_id, projectRights);
    ids.push(id);
  }
  if (ids.length === 0) return [];
  const rows = await deps.db
    .selectFrom('events')
    .selectAll()
    .where('id', 'in', ids)
    .where(readableEventsIn(caller, rights))
    .execute();
  const byId = new Map(rows.map((event) => [event.id, event]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}
