import { setTimeout as sleep } from 'node:timers/promises';
import { parseJson } from '../db/columns.ts';
import type { Db } from '../db/db.schema.ts';
import type { Snapshot } from '../db/dump/dump.snapshot.ts';
import type { RefChange } from '../db/tables/ref-intents.table.ts';
import { type Holder, namedHolder } from '../repositories/holder.ts';
import { PUSHED, readPushed } from '../repositories/pushed-events.ts';
import type { HolderKey } from './layout.ts';

/** How far back events are told apart one by one: their numbers may come in another order than their commits. */
const MARGIN = 10_000;
const BATCH = 1_000;
/** Longer than any change of refs takes. */
const PATIENCE_MS = 90_000;
const LOOK_MS = 100;

/** Where refs were before what came after the snapshot; null where they were not there. */
export type UndoneRef = Map<HolderKey, Map<string, string | null>>;

/** What the snapshot knows of changes of refs, to tell later ones from them. */
export interface SnapshotChanges {
  /** Events up to this number are in the snapshot or never were. */
  floor: number;
  events: ReadonlySet<number>;
  intents: ReadonlySet<number>;
}

/** Reads from the snapshot which changes of refs it knows. */
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

/** Waits until the changes of refs that are under way now, but not in the snapshot, have been recorded or dropped. */
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
 * Where each ref was at the instant of the snapshot, of those that have been changed since: objects are never removed,
 * so a ref can be set back to where it was.
 * @param db the database as it is now, after `waitForIntents`
 */
export async function changesSince(db: Db, known: SnapshotChanges): Promise<UndoneRef> {
  const undo: UndoneRef = new Map();
  for (let after = known.floor; ; ) {
    const events = await db
      .selectFrom('domain_events')
      .select(['id', 'type', 'project_id', 'payload'])
      .where('id', '>', after)
      .where('type', 'in', PUSHED)
      .orderBy('id')
      .limit(BATCH)
      .execute();
    for (const event of events) {
      if (known.events.has(event.id)) continue;
      const pushed = readPushed(event);
      note(undo, keyOf(pushed), pushed.updates);
    }
    if (events.length < BATCH) break;
    after = events.at(-1)!.id;
  }
  const intents = await db.selectFrom('ref_intents').selectAll().orderBy('id').execute();
  for (const intent of intents) {
    if (!known.intents.has(intent.id)) note(undo, keyOf(namedHolder(intent)), parseJson(intent.updates));
  }
  return undo;
}

const keyOf = ({ type, id }: Pick<Holder, 'type' | 'id'>): HolderKey => `${type}:${id}`;

/** The first change after the snapshot says where the ref was in it. */
function note(undo: UndoneRef, holder: HolderKey, updates: readonly RefChange[]): void {
  const refs = undo.get(holder) ?? new Map<string, string | null>();
  undo.set(holder, refs);
  for (const { ref, old } of updates) if (!refs.has(ref)) refs.set(ref, old);
}

/** Refs with what came after the snapshot taken back. */
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
