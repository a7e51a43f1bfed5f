import { setTimeout as sleep } from 'node:timers/promises';
import { parseJson } from '../db/columns.ts';
import type { Db } from '../db/db.schema.ts';
import type { Snapshot } from '../db/dump/dump.snapshot.ts';
import { inBatches } from '../db/in-batches.ts';
import type { RefChange } from '../db/tables/ref-intents.table.ts';
import { type Holder, namedHolder } from '../repositories/holder.ts';
import { PUSHED, readPushed } from '../repositories/pushed-events.ts';
import type { HolderKey } from './layout.ts';

/** Range of event ids that are compared one by one: ids may be assigned in another order than their commits. */
const MARGIN = 10_000;
const BATCH = 1_000;
/** Longer than any ref change takes. */
const PATIENCE_MS = 90_000;
const LOOK_MS = 100;

/** Old object ids of refs that changed after the snapshot; null for refs that did not exist. */
export type UndoneRef = Map<HolderKey, Map<string, string | null>>;

/** Ref changes that the snapshot contains, to tell later ones from them. */
export interface SnapshotChanges {
  /** All events up to this id are in the snapshot or were never committed. */
  floor: number;
  events: ReadonlySet<number>;
  intents: ReadonlySet<number>;
}

/** Reads from the snapshot which ref changes it contains. */
export async function knownChanges(snapshot: Snapshot): Promise<SnapshotChanges> {
  const numbers = async (query: string): Promise<number[]> => {
    const all: number[] = [];
    for await (const batch of snapshot.rows(query)) for (const [id] of batch) all.push(Number(id ?? 0));
    return all;
  };
  const [last = 0] = await numbers('select max(id) from domain_events');
  const floor = Math.max(0, last - MARGIN);
  const events = new Set(await numbers(`select id from domain_events where id > ${floor}`));
  return { floor, events, intents: new Set(await numbers('select id from ref_intents')) };
}

/** Waits until ref changes that are in progress now, but not in the snapshot, are recorded or dropped. */
export async function waitForIntents(db: Db, known: SnapshotChanges, signal: AbortSignal): Promise<void> {
  const under = async () => (await db.selectFrom('ref_intents').select('id').execute()).map(({ id }) => id);
  const awaited = (await under()).filter((id) => !known.intents.has(id));
  for (let waited = 0; awaited.length > 0 && waited < PATIENCE_MS; waited += LOOK_MS) {
    const left = new Set(await under());
    if (!awaited.some((id) => left.has(id))) return;
    await sleep(LOOK_MS, undefined, { signal });
  }
}

/**
 * State of refs at the snapshot, for refs that changed since. Objects are never removed meanwhile, so each ref can be
 * set back.
 * @param db the current database, after `waitForIntents`
 */
export async function changesSince(db: Db, known: SnapshotChanges): Promise<UndoneRef> {
  const undo: UndoneRef = new Map();
  const pushes = db
    .selectFrom('domain_events')
    .select(['id', 'type', 'payload'])
    .where('id', '>', known.floor)
    .where('type', 'in', PUSHED);
  for await (const events of inBatches(pushes, BATCH, 'id')) {
    for (const event of events) {
      if (known.events.has(event.id)) continue;
      const pushed = readPushed(event);
      note(undo, keyOf(pushed), pushed.updates);
    }
  }
  const intents = await db.selectFrom('ref_intents').selectAll().orderBy('id').execute();
  for (const intent of intents) {
    if (!known.intents.has(intent.id)) note(undo, keyOf(namedHolder(intent)), parseJson(intent.updates));
  }
  return undo;
}

const keyOf = ({ type, id }: Pick<Holder, 'type' | 'id'>): HolderKey => `${type}:${id}`;

/** The first change after the snapshot gives the old value of the ref. */
function note(undo: UndoneRef, holder: HolderKey, updates: readonly RefChange[]): void {
  const refs = undo.get(holder) ?? new Map<string, string | null>();
  undo.set(holder, refs);
  for (const { ref, old } of updates) if (!refs.has(ref)) refs.set(ref, old);
}

/** Refs with all changes after the snapshot undone. */
export function undoChanges(
  refs: readonly [name: string, oid: string][],
  undo: ReadonlyMap<string, string | null> | undefined,
): [name: string, oid: string][] {
  if (undo === undefined) return [...refs];
  const then = new Map(refs);
  for (const [ref, old] of undo) {
    if (old === null) then.delete(ref);
    else then.set(ref, old);
  }
  return [...then];
}
