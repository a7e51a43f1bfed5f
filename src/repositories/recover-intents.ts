import { setTimeout as sleep } from 'node:timers/promises';
import { parseJson } from '../db/columns.ts';
import type { RefChange } from '../db/tables/ref-intents.table.ts';
import type { Deps } from '../deps.ts';
import { GitError } from '../git/common/index.ts';
import { repositoryId } from '../git/repository/index.ts';
import { jobKind } from '../jobs/jobs.kinds.ts';
import { hasForks } from './has-forks.ts';
import { HOLDER_TYPES, type Holder, locationOf } from './holder.ts';
import { isApplied, recoverIntent, type StoredIntent } from './recover-one-intent.ts';

/** Longer than any ref change takes: git is ended after a minute. */
const ORPHANED_AFTER_MS = 5 * 60_000;
const RECOVER = jobKind<Record<string, never>>('recover-intents', { lane: 'git' });
const RECOVER_EVERY_MS = 10 * 60_000;
/** Interval and number of checks for preceding writes to be recorded. */
const LOOK_MS = 50;
const LOOKS = 100;
/** Number of checks after which the completed change of a live process is recorded on its behalf. */
const LATE_LOOKS = 20;

/** Number of attempts at the start, and delay between them in milliseconds: longer than a lock counts as young. */
const START_TRIES = 8;
const START_PAUSE_MS = 500;

type Key = Pick<Holder, 'type' | 'id'>;

/**
 * Completes or drops intents left by a crash: an intent whose refs have moved gets its event, any other is removed.
 * Called at the start, before requests are served. With other servers on the same data, only intents of dead processes
 * are recovered.
 */
export async function recoverIntents(deps: Deps): Promise<void> {
  const rows = await deps.db.selectFrom('ref_intents').selectAll().orderBy('id').execute();
  await recoverAll(deps, deps.alone ? rows : await orphaned(deps, rows));
}

/**
 * Like `recoverIntents`, for a process that starts beside others: locks of a process that was killed just now are too
 * young to be removed. Waits for them, then leaves the rest to the next write, or until that process is known to be
 * dead.
 */
export async function recoverIntentsAtStart(deps: Deps): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await recoverIntents(deps);
    } catch (error) {
      if (deps.alone || !(error instanceof GitError && error.code === 'locked')) throw error;
      if (tries === START_TRIES)
        return deps.log.log('warn', 'the recovery of an interrupted write was postponed', { error: error.message });
    }
    await sleep(START_PAUSE_MS);
  }
}

/** @throws the first error, after all were tried */
async function recoverAll(deps: Deps, rows: readonly StoredIntent[]): Promise<void> {
  let failure: unknown;
  for (const row of rows) await recoverIntent(deps, row).catch((error: unknown) => (failure ??= error));
  if (failure !== undefined) throw failure;
}

/**
 * Intents of processes that are not connected. Those of an earlier version, without a process, count as orphaned once
 * they are old.
 */
async function orphaned(deps: Deps, rows: readonly StoredIntent[]): Promise<StoredIntent[]> {
  if (rows.length === 0) return [];
  const gone = await deps.processes.disconnected(rows.flatMap(({ process_id }) => process_id ?? []));
  const oldest = new Date(deps.clock.now().getTime() - ORPHANED_AFTER_MS).toISOString();
  return rows.filter((row) => (row.process_id === null ? row.created_at < oldest : gone.has(row.process_id)));
}

/** Registers the recovery of intents of dead processes. */
export function registerRecovery(deps: Deps): void {
  const beside = { ...deps, alone: false };
  deps.processes.onDeath(async (id) => {
    const rows = await deps.db
      .selectFrom('ref_intents')
      .selectAll()
      .where('process_id', '=', id)
      .orderBy('id')
      .execute();
    await recoverAll(beside, rows);
  });
  deps.jobs.every(RECOVER, { everyMs: RECOVER_EVERY_MS }, async () => {
    await recoverIntents(beside);
    await deps.jobs.reclaimUnknown(await deps.processes.known());
  });
}

/** Recovers one intent of this process by its key, if it still exists. Must run in the repository's queue. */
export async function recoverByKey(deps: Deps, holder: Key, key: string): Promise<void> {
  const rows = await intentsOf(deps, holder).execute();
  const row = rows.find(({ context }) => parseJson<{ key?: string }>(context).key === key);
  if (row !== undefined) await recoverIntent(deps, row);
}

const intentsOf = ({ db }: Deps, { type, id }: Key) =>
  db.selectFrom('ref_intents').selectAll().where(HOLDER_TYPES[type].column, '=', id).orderBy('id');

const ofOthers = (deps: Deps, holder: Key): Promise<StoredIntent[]> =>
  hasForks(deps)
    ? intentsOf(deps, holder).where('process_id', 'is distinct from', deps.processes.id).execute()
    : Promise.resolve([]);

/**
 * Recovers intents of disconnected processes for a repository, before its refs are read or while its writes are
 * awaited. Intents that cannot be recovered yet are skipped.
 */
export async function recoverOrphanedIntents(input: Deps, holder: Holder): Promise<void> {
  const deps = { ...input, alone: false };
  const rows = await orphaned(deps, await ofOthers(deps, holder));
  if (rows.length === 0) return;
  await deps.writes
    .run(repositoryId(locationOf(holder)), () => recoverAll(deps, rows))
    .catch((error: unknown) => {
      deps.log.log('warn', 'an interrupted write could not be recovered yet', { error: String(error) });
    });
}

/**
 * Ensures that everything a ref change starts from is recorded, so that events of a ref are in the order of its
 * changes, and recovers intents of disconnected processes. Must run in the repository's queue before the change is
 * announced.
 * @throws GitError `locked`, `busy` if a preceding change cannot be recovered now; errors of git
 */
export async function recoverPreceding(input: Deps, holder: Key, updates: readonly RefChange[]): Promise<void> {
  const deps = { ...input, alone: false };
  for (let looks = 0; ; looks += 1) {
    const rows = await ofOthers(deps, holder);
    const left = await orphaned(deps, rows);
    let failure: unknown;
    await recoverAll(deps, left).catch((error: unknown) => {
      if (left.some((row) => sharesRef(row, updates))) failure = error;
    });
    const before = rows.filter((row) => !left.includes(row) && precedes(row, updates));
    if (failure === undefined && before.length === 0) return;
    // It will soon be known whether the lock belongs to a dead process.
    const waits = failure instanceof GitError && failure.code === 'locked';
    if (failure !== undefined && (!waits || looks >= LOOKS)) throw failure;
    if (looks >= LOOKS) throw new GitError('busy', 'another process has not recorded what it wrote');
    if (looks >= LATE_LOOKS) for (const row of before) if (await isApplied(deps, row)) await recoverIntent(deps, row);
    await sleep(LOOK_MS);
  }
}

/** Whether an intent changes one of the refs. */
function sharesRef(row: StoredIntent, updates: readonly RefChange[]): boolean {
  const refs = new Set(parseJson<RefChange[]>(row.updates).map(({ ref }) => ref));
  return updates.some(({ ref }) => refs.has(ref));
}

/** Whether changes start from the result of an intent. */
function precedes(row: StoredIntent, updates: readonly RefChange[]): boolean {
  const made = new Map(parseJson<RefChange[]>(row.updates).map((update) => [update.ref, update]));
  return updates.some(({ ref, old }) => {
    const update = made.get(ref);
    return update !== undefined && update.new === old && update.old !== old;
  });
}
