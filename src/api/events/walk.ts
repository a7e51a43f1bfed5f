import { setImmediate } from 'node:timers/promises';
import type { Caller } from '../../access/caller.ts';
import type { Event } from '../../db/tables/events.ts';
import type { Deps } from '../../deps.ts';
import { entriesOf, type Filters } from './filters.ts';
import { readableIn } from './readable.ts';
import { type Rights, rightsIn } from './rights.ts';

export interface Walk {
  caller: Caller;
  /** Whose entries; undefined for those of everyone in the projects that the caller is a member of. */
  authorId?: number | undefined;
  filters: Filters;
  signal: AbortSignal;
}

export interface Found {
  /** Readable entries after those that were to be skipped: as many as were wanted, or as there are. */
  events: Event[];
  /** Readable entries in all, when the walk came to the end of the list. */
  total: number | null;
}

type Mark = Pick<Event, 'id' | 'project_id' | 'action' | 'target_type' | 'created_at'>;

const FIRST_WINDOW = 100;
export const MAX_WINDOW = 2_000;

/**
 * Walks along the entries in the order of the list, window by window, and keeps those that the caller may read. It finds
 * a page at once where most of what it passes is readable; other work gets its turn after each window.
 * @param wanted `skip` readable entries are passed over, and `take` after them are enough
 * @param options `windows`: gives up after so many
 */
export async function walk(
  deps: Deps,
  { caller, authorId, filters, signal }: Walk,
  { skip, take }: { skip: number; take: number },
  options: { windows?: number } = {},
): Promise<Found> {
  const { windows = Number.POSITIVE_INFINITY } = options;
  const { db } = deps;
  const known = new Map<number, Rights | null>();
  const events: Event[] = [];
  let readable = 0;
  let last: Mark | undefined;
  let size = Math.min(Math.max(FIRST_WINDOW, skip + take), MAX_WINDOW);
  for (let n = 0; n < windows; n += 1) {
    if (n > 0) await setImmediate();
    signal.throwIfAborted();
    let query = entriesOf(db, { authorId }, filters)
      .select(['events.id', 'events.project_id', 'events.action', 'events.target_type', 'events.created_at'])
      .limit(size);
    if (last !== undefined) {
      const { created_at, id } = last;
      query = query.where((eb) =>
        eb(
          eb.refTuple('events.created_at', 'events.id'),
          filters.direction === 'desc' ? '<' : '>',
          eb.tuple(created_at, id),
        ),
      );
    }
    const passed: Mark[] = await query.execute();
    const fitting = passed.filter(
      ({ action, target_type }) =>
        (filters.action === undefined || action === filters.action) &&
        (filters.targetType === undefined || target_type === filters.targetType),
    );
    await learn(deps, caller, fitting, authorId === undefined, known);
    const rights = new Map<number, Rights>();
    const open = fitting.filter(({ project_id }) => {
      const found = known.get(project_id) ?? null;
      if (found !== null) rights.set(project_id, found);
      return found !== null;
    });
    if (open.length > 0) {
      const ids = open.map(({ id }) => id);
      const rows = await db
        .selectFrom('events')
        .selectAll()
        .where('id', 'in', ids)
        .where(readableIn(caller, rights))
        .execute();
      const byId = new Map(rows.map((event) => [event.id, event]));
      for (const id of ids) {
        const event = byId.get(id);
        if (event === undefined) continue;
        readable += 1;
        if (readable > skip && events.length < take) events.push(event);
      }
    }
    if (passed.length < size) return { events, total: readable };
    if (events.length >= take) break;
    last = passed.at(-1);
    size = Math.min(size * 4, MAX_WINDOW);
  }
  return { events, total: null };
}

/** Finds out the rights in the projects that are not known yet; null where there are none. */
async function learn(
  deps: Deps,
  caller: Caller,
  marks: readonly Mark[],
  membersOnly: boolean,
  known: Map<number, Rights | null>,
): Promise<void> {
  const unknown = [...new Set(marks.map(({ project_id }) => project_id))].filter((id) => !known.has(id));
  const found = await rightsIn(deps, caller, unknown, membersOnly);
  for (const id of unknown) known.set(id, found.get(id) ?? null);
}
