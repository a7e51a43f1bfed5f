import type { Selectable } from 'kysely';
import { parseJson } from '../db/columns.ts';
import type { RefChange, RefIntentsTable } from '../db/tables/ref-intents.ts';
import type { Deps } from '../deps.ts';
import { GitError } from '../git/errors.ts';
import type { Repository } from '../git/repository.ts';
import { removeStaleLocks } from '../git/stale-locks.ts';
import { jobKind } from '../jobs/kinds.ts';
import { finishChange, repositoryOf } from './change-refs.ts';
import { findHolder, HOLDER_TYPES, type Holder, namedHolder } from './holder.ts';
import type { Intent } from './intent.ts';
import { leftOverBefore } from './left-over.ts';
import { readPushed } from './pushed-events.ts';

/** Longer than any change of refs takes: git is ended after a minute. */
const SETTLED_AFTER_MS = 5 * 60_000;
const RECOVER = jobKind<Record<string, never>>('recover-intents', { lane: 'git' });
const RECOVER_EVERY_MS = 10 * 60_000;

type Row = Selectable<RefIntentsTable>;

/**
 * Finishes or drops what a crash left behind: an intent whose refs have moved gets its event, another is removed.
 * For the start, before requests are served. Where other servers run on the same data, an intent that may be theirs is
 * left until it is old.
 */
export async function recoverIntents(deps: Deps): Promise<void> {
  const oldest = new Date(deps.clock.now().getTime() - SETTLED_AFTER_MS).toISOString();
  let query = deps.db.selectFrom('ref_intents').selectAll().orderBy('id');
  if (!deps.alone) query = query.where('created_at', '<', oldest);
  for (const row of await query.execute()) {
    const updates = parseJson<RefChange[]>(row.updates);
    const applied = await recoverOne(deps, row, updates);
    logSettled(deps, namedHolder(row), updates, applied);
  }
}

function logSettled(
  { log }: Deps,
  { type, id }: Pick<Holder, 'type' | 'id'>,
  { length: refs }: readonly RefChange[],
  applied: number,
): void {
  log.log('warn', 'an interrupted write was settled', { [HOLDER_TYPES[type].column]: id, refs, applied });
}

/** Comes back again and again for the intents of a neighbour that has died. */
export function registerRecovery(deps: Deps): void {
  deps.jobs.every(RECOVER, { everyMs: RECOVER_EVERY_MS }, () => recoverIntents({ ...deps, alone: false }));
  deps.settleIntent = (holder, key) => settleIntent(deps, holder, key);
}

/** Settles one intent of this process by its key, where it is still there. In the repository's queue. */
async function settleIntent(deps: Deps, holder: Pick<Holder, 'type' | 'id'>, key: string): Promise<void> {
  const rows = await deps.db
    .selectFrom('ref_intents')
    .selectAll()
    .where(HOLDER_TYPES[holder.type].column, '=', holder.id)
    .execute();
  const row = rows.find(({ context }) => parseJson<{ key?: string }>(context).key === key);
  if (row === undefined) return;
  const updates = parseJson<RefChange[]>(row.updates);
  const applied = await recoverOne(deps, row, updates);
  logSettled(deps, holder, updates, applied);
}

/** @returns how many of the changes were made */
async function recoverOne(deps: Deps, row: Row, updates: readonly RefChange[]): Promise<number> {
  const named = namedHolder(row);
  const holder = await findHolder(deps.db, named);
  const repo = holder === undefined ? undefined : repositoryOf(deps, holder);
  const applied =
    repo === undefined ? [] : await settle(deps, repo, updates, await changesSince(deps, named, row.created_at));
  if (holder === undefined || repo === undefined || applied.length === 0) {
    await deps.db.deleteFrom('ref_intents').where('id', '=', row.id).execute();
    return 0;
  }
  const context = parseJson<Pick<Intent, 'via' | 'pushOptions' | 'cause' | 'wasEmpty'>>(row.context);
  await finishChange(deps, repo, row.id, {
    ...context,
    holder,
    userId: row.user_id,
    updates: applied,
  });
  return applied.length;
}

/** What other servers have changed since: it may start from what the interrupted write made. */
async function changesSince(
  deps: Deps,
  { type, id }: Pick<Holder, 'type' | 'id'>,
  since: string,
): Promise<RefChange[]> {
  if (deps.alone) return [];
  const events = await deps.db
    .selectFrom('domain_events')
    .select(['type', 'project_id', 'payload'])
    .where('type', '=', HOLDER_TYPES[type].pushed)
    .where('created_at', '>=', since)
    .$if(type === 'project', (query) => query.where('project_id', '=', id))
    .orderBy('id')
    .limit(10_000)
    .execute();
  return events
    .map(readPushed)
    .filter((pushed) => pushed.id === id)
    .flatMap(({ updates }) => updates);
}

/** Finishes changes of which some were made; gives all that are made now. None were made: none are. */
async function settle(
  deps: Deps,
  repo: Repository,
  updates: readonly RefChange[],
  later: readonly RefChange[],
): Promise<RefChange[]> {
  await removeStaleLocks(repo.dir, leftOverBefore(deps));
  const now = await Promise.all(
    updates.map((update) =>
      repo.refs.resolve(update.ref).catch((error: unknown) => {
        if (error instanceof GitError) return undefined;
        throw error;
      }),
    ),
  );
  const followed = (update: RefChange) => later.some(({ ref, old }) => ref === update.ref && old === update.new);
  const applied = updates.filter((update, index) => now[index] === update.new || followed(update));
  const rest = updates.filter((update, index) => now[index] === update.old && !applied.includes(update));
  if (applied.length === 0 || rest.length === 0) return applied;
  await repo.refs.transaction(rest);
  return [...applied, ...rest];
}
