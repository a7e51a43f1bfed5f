import { setTimeout as sleep } from 'node:timers/promises';
import { parseJson } from '../db/columns.ts';
import type { RefChange } from '../db/tables/ref-intents.table.ts';
import type { Deps } from '../deps.ts';
import { GitError } from '../git/git.errors.ts';
import { repositoryId } from '../git/git.storages.ts';
import { jobKind } from '../jobs/jobs.kinds.ts';
import { hasForks } from './has-forks.ts';
import { HOLDER_TYPES, type Holder, locationOf } from './holder.ts';
import { isApplied, recoverIntent, type StoredIntent } from './recover-one-intent.ts';

/** Longer than any change of refs takes: git is ended after a minute. */
const ORPHANED_AFTER_MS = 5 * 60_000;
const RECOVER = jobKind<Record<string, never>>('recover-intents', { lane: 'git' });
const RECOVER_EVERY_MS = 10 * 60_000;
/** So long, and so often, it is looked whether what a write starts from has been recorded. */
const LOOK_MS = 50;
const LOOKS = 100;
/** From then on what a process has made that lives is recorded for it. */
const LATE_LOOKS = 20;

/** How often the start tries, and how long it waits between, in milliseconds: longer than a lock is young. */
const START_TRIES = 8;
const START_PAUSE_MS = 500;

type Key = Pick<Holder, 'type' | 'id'>;

/**
 * Finishes or drops what a crash left behind: an intent whose refs have moved gets its event, another is removed.
 * For the start, before requests are served. Where other servers run on the same data, only those of processes that are dead.
 */
export async function recoverIntents(deps: Deps): Promise<void> {
  const rows = await deps.db.selectFrom('ref_intents').selectAll().orderBy('id').execute();
  await recoverAll(deps, deps.alone ? rows : await orphaned(deps, rows));
}

/**
 * The same for the start of a process beside others: a lock that one of them left when it was killed a moment ago is too young to be
 * removed. It is waited for; then what it holds is left to the next write, or to when its process is known to be dead.
 */
export async function recoverIntentsAtStart(deps: Deps): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await recoverIntents(deps);
    } catch (error) {
      if (deps.alone || !(error instanceof GitError && error.code === 'locked')) throw error;
      if (tries === START_TRIES)
        return deps.log.log('warn', 'an interrupted write is recovered later', { error: error.message });
    }
    await sleep(START_PAUSE_MS);
  }
}

/** @throws the first error, once the others have been tried, too */
async function recoverAll(deps: Deps, rows: readonly StoredIntent[]): Promise<void> {
  let failure: unknown;
  for (const row of rows) await recoverIntent(deps, row).catch((error: unknown) => (failure ??= error));
  if (failure !== undefined) throw failure;
}

/** The intents of processes that are not connected. Those of an earlier version, which names none, are taken for theirs once they are old. */
async function orphaned(deps: Deps, rows: readonly StoredIntent[]): Promise<StoredIntent[]> {
  if (rows.length === 0) return [];
  const gone = await deps.processes.disconnected(rows.flatMap(({ process_id }) => process_id ?? []));
  const oldest = new Date(deps.clock.now().getTime() - ORPHANED_AFTER_MS).toISOString();
  return rows.filter((row) => (row.process_id === null ? row.created_at < oldest : gone.has(row.process_id)));
}

/** Recovers what processes were writing to repositories when they died. */
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
  deps.recoverIntent = (holder, key) => recoverByKey(deps, holder, key);
  deps.recoverPreceding = (holder, updates) => recoverPreceding(beside, holder, updates);
}

/** Recovers one intent of this process by its key, where it is still there. In the repository's queue. */
async function recoverByKey(deps: Deps, holder: Key, key: string): Promise<void> {
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
 * Recovers what processes that are not connected were writing to a repository. For whoever is about to look at its refs, or waits for its
 * writes to end; what cannot be recovered yet is left.
 */
export async function recoverOrphanedIntents(input: Deps, holder: Holder): Promise<void> {
  const deps = { ...input, alone: false };
  const rows = await orphaned(deps, await ofOthers(deps, holder));
  if (rows.length === 0) return;
  await deps.writes
    .run(repositoryId(locationOf(holder)), () => recoverAll(deps, rows))
    .catch((error: unknown) => {
      deps.log.log('warn', 'an interrupted write is not recovered yet', { error: String(error) });
    });
}

/**
 * Has everything recorded that a change of refs starts from, so that the events of a ref stand in the order of its changes, and whatever
 * processes that are not connected have left in the repository. In its queue, before the change is announced.
 * @throws GitError `locked`, `busy` where what it starts from cannot be recovered now, and as git does
 */
async function recoverPreceding(deps: Deps, holder: Key, updates: readonly RefChange[]): Promise<void> {
  for (let looks = 0; ; looks += 1) {
    const rows = await ofOthers(deps, holder);
    const left = await orphaned(deps, rows);
    let failure: unknown;
    await recoverAll(deps, left).catch((error: unknown) => {
      if (left.some((row) => sharesRef(row, updates))) failure = error;
    });
    const before = rows.filter((row) => !left.includes(row) && precedes(row, updates));
    if (failure === undefined && before.length === 0) return;
    // A lock of one that died a moment ago shows soon whose it is.
    const waits = failure instanceof GitError && failure.code === 'locked';
    if (failure !== undefined && (!waits || looks >= LOOKS)) throw failure;
    if (looks >= LOOKS) throw new GitError('busy', 'another process has not recorded what it wrote');
    if (looks >= LATE_LOOKS) for (const row of before) if (await isApplied(deps, row)) await recoverIntent(deps, row);
    await sleep(LOOK_MS);
  }
}

/** Whether changes are of a ref that an intent changes, too. */
function sharesRef(row: StoredIntent, updates: readonly RefChange[]): boolean {
  const refs = new Set(parseJson<RefChange[]>(row.updates).map(({ ref }) => ref));
  return updates.some(({ ref }) => refs.has(ref));
}

/** Whether changes start from what an intent makes. */
function precedes(row: StoredIntent, updates: readonly RefChange[]): boolean {
  const made = new Map(parseJson<RefChange[]>(row.updates).map((update) => [update.ref, update]));
  return updates.some(({ ref, old }) => {
    const update = made.get(ref);
    return update !== undefined && update.new === old && update.old !== old;
  });
}
