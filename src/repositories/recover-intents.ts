import { setTimeout as sleep } from 'node:timers/promises';
import { parseJson } from '../db/columns.ts';
import type { RefChange } from '../db/tables/ref-intents.ts';
import type { Deps } from '../deps.ts';
import { GitError } from '../git/errors.ts';
import { repositoryId } from '../git/storages.ts';
import { jobKind } from '../jobs/kinds.ts';
import { HOLDER_TYPES, type Holder, placeOf } from './holder.ts';
import { isMade, type StoredIntent, settleIntent } from './settle-intent.ts';

/** Longer than any change of refs takes: git is ended after a minute. */
const SETTLED_AFTER_MS = 5 * 60_000;
const RECOVER = jobKind<Record<string, never>>('recover-intents', { lane: 'git' });
const RECOVER_EVERY_MS = 10 * 60_000;
/** So long, and so often, it is looked whether a process that lives has recorded what a write starts from. */
const LOOK_MS = 50;
const LOOKS = 100;
/** From then on what it has made is recorded for it. */
const LATE_LOOKS = 20;

type Key = Pick<Holder, 'type' | 'id'>;

/**
 * Finishes or drops what a crash left behind: an intent whose refs have moved gets its event, another is removed.
 * For the start, before requests are served. Where other servers run on the same data, only those of processes that are gone.
 */
export async function recoverIntents(deps: Deps): Promise<void> {
  const rows = await deps.db.selectFrom('ref_intents').selectAll().orderBy('id').execute();
  await settleAll(deps, deps.alone ? rows : await ofTheGone(deps, rows));
}

/** @throws the first error, once the others have been tried, too */
async function settleAll(deps: Deps, rows: readonly StoredIntent[]): Promise<void> {
  let failure: unknown;
  for (const row of rows) await settleIntent(deps, row).catch((error: unknown) => (failure ??= error));
  if (failure !== undefined) throw failure;
}

/** The intents of processes that are gone. Those of an earlier version, which names none, are taken for theirs once they are old. */
async function ofTheGone(deps: Deps, rows: readonly StoredIntent[]): Promise<StoredIntent[]> {
  if (rows.length === 0) return [];
  const gone = await deps.processes.gone(rows.flatMap(({ process_id }) => process_id ?? []));
  const oldest = new Date(deps.clock.now().getTime() - SETTLED_AFTER_MS).toISOString();
  return rows.filter((row) => (row.process_id === null ? row.created_at < oldest : gone.has(row.process_id)));
}

/** Settles what processes were writing to repositories when they died. */
export function registerRecovery(deps: Deps): void {
  const beside = { ...deps, alone: false };
  deps.processes.onDeath(async (id) => {
    const rows = await deps.db
      .selectFrom('ref_intents')
      .selectAll()
      .where('process_id', '=', id)
      .orderBy('id')
      .execute();
    await settleAll(beside, rows);
  });
  deps.jobs.every(RECOVER, { everyMs: RECOVER_EVERY_MS }, async () => {
    await recoverIntents(beside);
    await deps.jobs.takeOverUnknown(await deps.processes.known());
  });
  deps.settleIntent = (holder, key) => settleOwn(deps, holder, key);
  deps.settleBefore = (holder, updates) => settleBefore(beside, holder, updates);
}

/** Settles one intent of this process by its key, where it is still there. In the repository's queue. */
async function settleOwn(deps: Deps, holder: Key, key: string): Promise<void> {
  const rows = await intentsOf(deps, holder).execute();
  const row = rows.find(({ context }) => parseJson<{ key?: string }>(context).key === key);
  if (row !== undefined) await settleIntent(deps, row);
}

const intentsOf = ({ db }: Deps, { type, id }: Key) =>
  db.selectFrom('ref_intents').selectAll().where(HOLDER_TYPES[type].column, '=', id).orderBy('id');

const ofOthers = (deps: Deps, holder: Key): Promise<StoredIntent[]> =>
  deps.config.database.kind === 'postgres'
    ? intentsOf(deps, holder).where('process_id', 'is distinct from', deps.processes.id).execute()
    : Promise.resolve([]);

/**
 * Settles what processes that are gone were writing to a repository. For whoever is about to look at its refs, or waits for its writes to
 * end; what cannot be settled yet is left.
 */
export async function settleGone(given: Deps, holder: Holder): Promise<void> {
  const deps = { ...given, alone: false };
  const rows = await ofTheGone(deps, await ofOthers(deps, holder));
  if (rows.length === 0) return;
  await deps.writes
    .run(repositoryId(placeOf(holder)), () => settleAll(deps, rows))
    .catch((error: unknown) => {
      deps.log.log('warn', 'an interrupted write is not settled yet', { error: String(error) });
    });
}

/**
 * Has everything recorded that a change of refs starts from, so that the events of a ref stand in the order of its changes, and whatever
 * processes that are gone have left in the repository. In its queue, before the change is announced.
 * @throws GitError `locked`, `busy` where what it starts from cannot be settled now
 */
async function settleBefore(deps: Deps, holder: Key, updates: readonly RefChange[]): Promise<void> {
  for (let looks = 0; ; looks += 1) {
    const rows = await ofOthers(deps, holder);
    const gone = await ofTheGone(deps, rows);
    await settleAll(deps, gone).catch((error: unknown) => {
      if (gone.some((row) => precedes(row, updates))) throw error;
    });
    const before = rows.filter((row) => !gone.includes(row) && precedes(row, updates));
    if (before.length === 0) return;
    if (looks === LOOKS) throw new GitError('busy', 'another process has not recorded what it wrote');
    if (looks >= LATE_LOOKS) for (const row of before) if (await isMade(deps, row)) await settleIntent(deps, row);
    await sleep(LOOK_MS);
  }
}

/** Whether changes start from what an intent makes. */
function precedes(row: StoredIntent, updates: readonly RefChange[]): boolean {
  const made = new Map(parseJson<RefChange[]>(row.updates).map((update) => [update.ref, update]));
  return updates.some(({ ref, old }) => {
    const update = made.get(ref);
    return update !== undefined && update.new === old && update.old !== old;
  });
}
