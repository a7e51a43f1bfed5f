import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Selectable } from 'kysely';
import { timestamp } from '../core/clock.ts';
import { parseJson } from '../db/columns.ts';
import type { RefChange, RefIntentsTable } from '../db/tables/ref-intents.table.ts';
import type { Deps } from '../deps.ts';
import { GitError } from '../git/common/index.ts';
import { removeLocks, removeStaleLocks } from '../git/files/index.ts';
import type { Repository } from '../git/repository/index.ts';
import { finishChange } from './finish-change.ts';
import { findHolder, HOLDER_TYPES, type Holder, locationOf, namedHolder } from './holder.ts';
import type { Intent } from './intent.ts';
import { lockHolder } from './moves/holders.ts';
import { ORPHANED_MS, PACKED_ORPHANED_MS } from './orphaned-locks.ts';
import { readPushed } from './pushed-events.ts';
import { orphanedBefore } from './stale-locks-of-writes.ts';

/** Number of refs read before yielding. */
const BATCH_SIZE = 100;

/** A stored intent. */
export type StoredIntent = Selectable<RefIntentsTable>;

/**
 * Completes an intent if some of its changes were made, otherwise drops it. Safe against concurrent processes,
 * including the one that created it.
 * @throws GitError `locked` while a lock may not be removed yet; errors of git
 */
export async function recoverIntent(deps: Deps, row: StoredIntent): Promise<void> {
  const updates = parseJson<RefChange[]>(row.updates);
  const named = namedHolder(row);
  const holder = await findHolder(deps.db, named);
  const repo = holder === undefined ? undefined : deps.storages.open(locationOf(holder));
  const applied = repo === undefined ? [] : await finishRefs(deps, repo, row, updates);
  if (holder === undefined || repo === undefined || applied.length === 0) await drop(deps, row);
  else {
    const context = parseJson<Pick<Intent, 'via' | 'pushOptions' | 'cause' | 'wasEmpty'>>(row.context);
    const intent = Object.freeze({ ...context, holder, userId: row.user_id, updates: applied });
    await finishChange(deps, repo, row.id, intent);
  }
  deps.log.log('warn', 'an interrupted write was recovered', {
    [HOLDER_TYPES[named.type].column]: named.id,
    refs: updates.length,
    applied: applied.length,
  });
}

/** Whether all changes of an intent are made. */
export async function isApplied(deps: Deps, row: StoredIntent): Promise<boolean> {
  const holder = await findHolder(deps.db, namedHolder(row));
  if (holder === undefined) return false;
  return areApplied(deps.storages.open(locationOf(holder)), parseJson<RefChange[]>(row.updates));
}

/** Whether there are changes, and all of them are made. */
export async function areApplied(repo: Repository, updates: readonly RefChange[]): Promise<boolean> {
  for (const [index, { ref, new: newOid }] of updates.entries()) {
    if (index % BATCH_SIZE === BATCH_SIZE - 1) await nextTurn();
    if ((await repo.refs.resolve(ref)) !== newOid) return false;
  }
  return updates.length > 0;
}

const isOthers = ({ alone, processes }: Deps, { process_id }: StoredIntent): boolean =>
  !alone && process_id !== processes.id;

/**
 * Removes an intent without any completed change. Its process may still be alive and make the changes: `finishChange`
 * detects that.
 */
async function drop(deps: Deps, row: StoredIntent): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    const { numDeletedRows } = await db.deleteFrom('ref_intents').where('id', '=', row.id).executeTakeFirst();
    if (numDeletedRows === 0n || !isOthers(deps, row)) return;
    await db
      .insertInto('dropped_ref_intents')
      .values({ id: row.id, dropped_at: timestamp(deps.clock) })
      .execute();
  });
}

/** Completes partially made changes; returns all that are made now. If none was made, makes none. */
async function finishRefs(
  deps: Deps,
  repo: Repository,
  row: StoredIntent,
  updates: readonly RefChange[],
): Promise<RefChange[]> {
  if (isOthers(deps, row)) await removeTheirLocks(deps, repo, row, updates);
  else await removeStaleLocks(repo.dir, orphanedBefore(deps));
  const later = await changesSince(deps, namedHolder(row), row.created_at);
  const followed = new Set(later.map(({ ref, old }) => `${ref} ${old}`));
  const applied: RefChange[] = [];
  const rest: RefChange[] = [];
  for (const [index, update] of updates.entries()) {
    if (index % BATCH_SIZE === BATCH_SIZE - 1) await nextTurn();
    const now = await placeOf(repo, update.ref);
    if (now === update.new || followed.has(`${update.ref} ${update.new}`)) applied.push(update);
    else if (now === update.old) rest.push(update);
  }
  if (applied.length === 0 || rest.length === 0) return applied;
  await repo.refs.transaction(rest);
  return [...applied, ...rest];
}

/** Undefined if it cannot be read. */
const placeOf = (repo: Repository, ref: string): Promise<string | null | undefined> =>
  repo.refs.resolve(ref).catch((error: unknown) => {
    if (error instanceof GitError) return undefined;
    throw error;
  });

/** Later changes of other servers, which may start from the result of the interrupted write. */
async function changesSince(
  deps: Deps,
  { type, id }: Pick<Holder, 'type' | 'id'>,
  since: string,
): Promise<RefChange[]> {
  if (deps.alone) return [];
  const { pushed, column } = HOLDER_TYPES[type];
  const events = await deps.db
    .selectFrom('domain_events')
    .select(['type', 'payload'])
    .where('type', '=', pushed)
    .where('created_at', '>=', since)
    .$if(column === 'project_id', (query) => query.where('project_id', '=', id))
    .orderBy('id')
    .limit(10_000)
    .execute();
  return events
    .map(readPushed)
    .filter((event) => event.id === id)
    .flatMap(({ updates }) => updates);
}

/**
 * Removes the locks that a dead process left on the references of its intent: any other holder would have announced its
 * change.
 * @throws GitError `locked` if a lock may still be held
 */
async function removeTheirLocks(
  deps: Deps,
  repo: Repository,
  row: StoredIntent,
  updates: readonly RefChange[],
): Promise<void> {
  const names = new Set(updates.map(({ ref }) => ref));
  const deletes = updates.some((update) => update.new === null);
  const removed = await deps.db.transaction().execute(async (db) => {
    const named = namedHolder(row);
    await lockHolder(deps, db, named);
    const others = await db
      .selectFrom('ref_intents')
      .select(['process_id', 'updates'])
      .where(HOLDER_TYPES[named.type].column, '=', named.id)
      .where('process_id', 'is distinct from', row.process_id)
      .execute();
    const announced = new Set(others.flatMap((other) => parseJson<RefChange[]>(other.updates).map(({ ref }) => ref)));
    const left = [...names].filter((name) => !announced.has(name));
    const theirs = await removeLocks(repo.dir, left, ORPHANED_MS);
    return theirs && (!deletes || (await removeLocks(repo.dir, ['packed-refs'], PACKED_ORPHANED_MS)));
  });
  if (!removed) throw new GitError('locked', 'a lock of an interrupted write still exists');
}
