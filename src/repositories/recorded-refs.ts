import type { Db } from '../db/db.schema.ts';
import type { RefChange } from '../db/tables/ref-intents.table.ts';
import { HOLDER_TYPES, type HolderType } from './holder.ts';
import { readPushed } from './pushed-events.ts';

const BATCH = 1_000;
/** Maximum number of ref names in memory; those of one repository are never split. */
const MAX_NAMES = 100_000;

/**
 * Targets of a ref after its last two recorded changes: with two processes, the last one to move it may have recorded
 * its change first.
 */
export type LastKnownRefs = (string | null)[];

/** Recorded state of some repositories. */
export interface RecordedPart {
  /** Refs by holder id. */
  refs: Map<number, Map<string, LastKnownRefs>>;
  /** Id of the last event read. */
  until: number;
}

interface Recorded {
  event: number;
  id: number;
  updates: readonly RefChange[];
}

/** Recorded ref changes after an event, in order. */
export async function* recordedChanges(db: Db, kind: HolderType, after: number): AsyncGenerator<Recorded> {
  for (let last = after; ; ) {
    const events = await db
      .selectFrom('domain_events')
      .select(['id', 'type', 'payload'])
      .where('type', '=', HOLDER_TYPES[kind].pushed)
      .where('id', '>', last)
      .orderBy('id')
      .limit(BATCH)
      .execute();
    for (const event of events) {
      const { id, updates } = readPushed(event);
      yield { event: event.id, id, updates };
    }
    if (events.length < BATCH) return;
    last = events.at(-1)!.id;
  }
}

/**
 * Recorded targets of the refs of all repositories of a kind, in batches by id. The events are read once for each
 * batch.
 */
export async function* recordedRefs(db: Db, kind: HolderType, maxNames = MAX_NAMES): AsyncGenerator<RecordedPart> {
  for (let above = 0; ; ) {
    const { through, ...part } = await readPart(db, kind, above, maxNames);
    yield part;
    if (through === null) return;
    above = through;
  }
}

async function readPart(db: Db, kind: HolderType, above: number, maxNames: number) {
  const part: RecordedPart = { refs: new Map(), until: 0 };
  /** The last id of this batch; null for the last batch. */
  let through: number | null = null;
  let names = 0;
  for await (const { event, id, updates } of recordedChanges(db, kind, 0)) {
    part.until = event;
    if (id <= above || (through !== null && id > through)) continue;
    const refs = part.refs.get(id) ?? new Map<string, LastKnownRefs>();
    part.refs.set(id, refs);
    names -= refs.size;
    applyUpdates(refs, updates);
    names += refs.size;
    if (names > maxNames && part.refs.size > 1) {
      through = keepHalf(part.refs);
      names = [...part.refs.values()].reduce((sum, { size }) => sum + size, 0);
    }
  }
  return { ...part, through };
}

/** Applies changes to the known targets. */
export function applyUpdates(refs: Map<string, LastKnownRefs>, updates: readonly RefChange[]): void {
  for (const { ref, new: place } of updates) refs.set(ref, [...(refs.get(ref) ?? []), place].slice(-2));
}

/** Defers the higher ids to a later batch. @returns the highest remaining id */
function keepHalf(refs: Map<number, unknown>): number {
  const ids = [...refs.keys()].sort((a, b) => a - b);
  const half = Math.ceil(ids.length / 2);
  for (const id of ids.slice(half)) refs.delete(id);
  return ids[half - 1]!;
}
