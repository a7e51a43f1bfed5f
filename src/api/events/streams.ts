import type { Caller } from '../../access/caller.ts';
import { countOf } from '../../db/paginate.ts';
import type { Db } from '../../db/schema.ts';
import type { Event } from '../../db/tables/events.ts';
import { MAX_COUNTED } from '../../http/pagination.ts';
import { entriesOf, type Filters } from './filters.ts';
import { readable } from './readable.ts';
import type { Rights } from './rights.ts';

/** A part of the entries of one project that an index gives in order. */
interface Stream {
  projectId: number;
  rights: Rights;
  action?: Event['action'] | undefined;
  targetType?: Event['target_type'] | undefined;
}

export interface Streams {
  streams: readonly Stream[];
  caller: Caller;
  authorId?: number | undefined;
  filters: Filters;
}

/** Queries that one statement puts together at most. */
const MAX_STREAMS = 200;

/** Kinds of entries that the rights leave, each with an index of its own. */
function kindsFor(rights: Rights): Pick<Stream, 'action' | 'targetType'>[] {
  const types: Event['target_type'][] = ['Project'];
  if (rights.issues) types.push('Issue');
  if (rights.mergeRequests) types.push('MergeRequest');
  if (rights.milestones) types.push('Milestone');
  if (rights.snippets) types.push('Snippet');
  if (rights.code || rights.issues || rights.mergeRequests || rights.snippets) {
    types.push('Note', 'DiffNote', 'DiscussionNote');
  }
  const actions: Event['action'][] = ['joined', 'left', 'expired', ...(rights.code ? ['pushed' as const] : [])];
  return [...types.map((targetType) => ({ targetType })), ...actions.map((action) => ({ action }))];
}

/**
 * Takes the entries of projects apart so that each part is read along an index. Where much of a project is closed to the
 * caller, the kinds that are open to him are read one by one: what is closed may be nearly all there is.
 */
export function streamsOf(rights: ReadonlyMap<number, Rights>, { action, targetType }: Filters): Stream[] {
  const whole = [...rights].map(([projectId, each]) => ({ projectId, rights: each, action, targetType }));
  if (action !== undefined || targetType !== undefined) return whole;
  const parts = whole.flatMap((stream) => {
    const { code, issues, mergeRequests } = stream.rights;
    return code && issues && mergeRequests ? [stream] : kindsFor(stream.rights).map((kind) => ({ ...stream, ...kind }));
  });
  return parts.length > MAX_STREAMS ? whole : parts;
}

/** The entries of a stream, readable or not. */
function entries(db: Db, { authorId, filters }: Streams, { projectId, action, targetType }: Stream) {
  let query = entriesOf(db, { projectId, authorId }, filters);
  if (action !== undefined) query = query.where('events.action', '=', action);
  if (targetType !== undefined) query = query.where('events.target_type', '=', targetType);
  return query;
}

const readableEntries = (db: Db, all: Streams, stream: Stream) =>
  entries(db, all, stream).where(readable(all.caller, stream.rights)).selectAll('events');

/** Entries of a page, in the order of the list: each stream is cut after as many as the page can need of it. */
export async function readStreams(
  db: Db,
  all: Streams,
  { offset, size }: { offset: number; size: number },
): Promise<Event[]> {
  const [first, ...others] = all.streams.map((stream) =>
    db
      .selectFrom(
        readableEntries(db, all, stream)
          .limit(offset + size)
          .as('part'),
      )
      .selectAll('part'),
  );
  if (first === undefined) return [];
  const together = others.reduce((sum, each) => sum.unionAll(each), first);
  const { direction } = all.filters;
  return db
    .selectFrom(together.as('feed'))
    .selectAll('feed')
    .orderBy('created_at', direction)
    .orderBy('id', direction)
    .limit(size)
    .offset(offset)
    .execute();
}

/**
 * How many entries the streams have in all.
 * @returns null for more than 10,000, be they readable or not: an index counts them without looking at each
 */
export async function countStreams(db: Db, all: Streams): Promise<number | null> {
  const sum = async (count: (stream: Stream) => Promise<number>): Promise<number> => {
    let total = 0;
    for (const stream of all.streams) if (total <= MAX_COUNTED) total += await count(stream);
    return total;
  };
  if ((await sum((stream) => countOf(db, entries(db, all, stream)))) > MAX_COUNTED) return null;
  return sum((stream) => countOf(db, readableEntries(db, all, stream)));
}
