import { randomUUID } from 'node:crypto';
import type { Insertable } from 'kysely';
import { transactionDeps } from '../access/transaction-deps.ts';
import { timestamp } from '../core/clock.ts';
import { notFound } from '../core/core.errors.ts';
import { environmentFaultOf } from '../core/environment-fault.ts';
import type { Schema } from '../db/db.schema.ts';
import { prepared } from '../db/prepared.ts';
import type { Project } from '../db/tables/projects.table.ts';
import type { Deps } from '../deps.ts';
import type { Repository } from '../git/repository/index.ts';
import { fenceOf, finishChange, removeIntent } from './finish-change.ts';
import { hasForks } from './has-forks.ts';
import { HOLDER_TYPES, type Holder, type HolderColumn, type HolderType, holderColumns } from './holder.ts';
import type { Intent, RequestedChange } from './intent.ts';
import { RepositoryReadOnly } from './read-only.ts';
import { recoverByKey, recoverPreceding } from './recover-intents.ts';
import { areApplied } from './recover-one-intent.ts';
import { requireWritable } from './server-writes.ts';
import { retryWithoutStaleLocks } from './stale-locks-of-writes.ts';

/** A request of the API, unless it says how else the refs are changed. */
export interface RefChangeRequest extends Omit<RequestedChange, 'via' | 'pushOptions'> {
  via?: RequestedChange['via'];
  pushOptions?: readonly string[];
  /**
   * Fulfils once the new objects are durable, if they are still being written. Returns the commits that did not exist
   * before.
   */
  stored?: Promise<ReadonlySet<string>>;
  guard: ChangeGuard;
}

/**
 * Checks again whether refs may be moved, in the transaction that announces the change: rights checked before the wait
 * for the repository's queue may have been lost. Reads only the database and refs.
 * @param deps with the transaction's handle
 * @param project the current project; null for other holders
 * @throws ApiError for a refusal
 */
export type ChangeGuard = (deps: Deps, project: Project | null) => Promise<void>;

const insertIntent = prepared((db, row: Insertable<Schema['ref_intents']>) =>
  db.insertInto('ref_intents').values(row).returning('id'),
);

/**
 * Like `insertIntent`, for several processes: also returns whether another one has an intent for the same repository.
 */
const insertIntentAmong = ({ column }: { column: HolderColumn }) =>
  prepared((db, row: Insertable<Schema['ref_intents']>) =>
    db
      .insertInto('ref_intents')
      .values(row)
      .returning('id')
      .returning(({ exists, selectFrom }) =>
        exists(
          selectFrom('ref_intents as other')
            .select('other.id')
            .where(`other.${column}`, '=', row[column]!)
            .where('other.process_id', 'is distinct from', row.process_id!),
        ).as('preceded'),
      ),
  );

const INSERT_AMONG = {
  project: insertIntentAmong(HOLDER_TYPES.project),
  snippet: insertIntentAmong(HOLDER_TYPES.snippet),
  wiki: insertIntentAmong(HOLDER_TYPES.wiki),
} as const satisfies Record<HolderType, unknown>;

/** Opens the repository of a holder. */
export const repositoryOf = (deps: Deps, holder: Pick<Holder, 'repository_storage' | 'disk_path'>): Repository =>
  deps.storages.open({ storage: holder.repository_storage, diskPath: holder.disk_path });

/**
 * Runs `write` in the repository's queue: all writes of this process to one repository are serialized. Writes of other
 * processes are detected by the old ids of each ref change.
 * @param holder its row, or the known columns
 * @throws RepositoryReadOnly if the row says so; errors of `write`
 */
export async function inRepositoryQueue<T>(
  deps: Deps,
  holder: Pick<Holder, 'repository_storage' | 'disk_path'> & { repository_read_only?: 0 | 1 },
  write: (repo: Repository) => Promise<T>,
): Promise<T> {
  // Checked before objects are written in vain.
  if (holder.repository_read_only === 1) throw new RepositoryReadOnly();
  const repo = repositoryOf(deps, holder);
  return deps.writes.run(repo.id, () => write(repo));
}

/** A change cannot be announced, because another process has announced one to the same repository. */
class Preceded extends Error {
  override name = 'Preceded';
}

/** A stored intent, with the project at that time. */
interface Announced {
  id: number;
  intent: Intent;
  project: Project | null;
}

/**
 * Stores the intent of a permitted change.
 * @param first whether no other process may have an intent for the repository: those must be recorded or recovered
 *   first
 * @throws Preceded, without any change; errors of the guard
 */
async function announce(
  deps: Deps,
  repo: Repository,
  change: RequestedChange,
  guard: ChangeGuard,
  key: string,
  first: boolean,
): Promise<Announced> {
  const { holder, updates, via, pushOptions, cause, userId } = change;
  const createsBranch = updates.some(({ ref, old }) => old === null && ref.startsWith('refs/heads/'));
  const wasEmpty = createsBranch && (await repo.refs.list('refs/heads/')).length === 0;
  const intent = Object.freeze({ ...change, wasEmpty });
  return deps.db.transaction().execute(async (db) => {
    const now = await requireWritable(transactionDeps(deps, db), holder, repo);
    if (now === undefined) throw notFound(HOLDER_TYPES[holder.type].called);
    const { project } = now;
    await guard(transactionDeps(deps, db), project);
    const row = {
      ...holderColumns(holder),
      user_id: userId,
      updates: JSON.stringify(updates),
      context: JSON.stringify({ via, pushOptions, cause, wasEmpty, key }),
      created_at: timestamp(deps.clock),
      process_id: deps.processes.id,
    };
    if (!first) return { id: (await insertIntent(db, row))[0]!.id, intent, project };
    const [stored] = await INSERT_AMONG[holder.type](db, row);
    if (stored!.preceded) throw new Preceded();
    return { id: stored!.id, intent, project };
  });
}

/**
 * Moves refs and records the consequences, so that neither ever exists without the other: the intent is stored first,
 * then the refs move, then one transaction replaces the intent by the event and the writes of observers. After a crash,
 * `recoverIntent` (recover-one-intent.ts) completes or drops the change. Must be called inside `inRepositoryQueue`.
 * Durable when it fulfils.
 * @throws GitError `conflict` if a ref differs from the update; RepositoryReadOnly, and errors of the guard
 */
export async function changeRefs(deps: Deps, repo: Repository, request: RefChangeRequest): Promise<void> {
  const { stored, guard, ...requestedChange } = request;
  const change: RequestedChange = Object.freeze({ via: 'api', pushOptions: [], ...requestedChange });
  const { holder, updates } = change;
  await deps.intentRetries.retry(repo.id);
  const key = randomUUID();
  /** If the end cannot be written now, it is recovered later; the caller gets the failure. */
  const orLater = async <T>(work: Promise<T>, always: boolean): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      if (always || environmentFaultOf(error) !== null) {
        const inQueue = (work: () => Promise<void>) => deps.writes.run(repo.id, work);
        deps.intentRetries.add(repo.id, key, () => recoverByKey(deps, holder, key), inQueue);
      }
      throw error;
    }
  };
  // The connection may be lost before or after the commit.
  const announced = await orLater(announce(deps, repo, change, guard, key, hasForks(deps)), false).catch(
    async (error: unknown) => {
      if (!(error instanceof Preceded)) throw error;
      await recoverPreceding(deps, holder, updates);
      return orLater(announce(deps, repo, change, guard, key, false), false);
    },
  );
  const { id, intent, project } = announced;
  const fence = fenceOf(deps, id);
  try {
    await retryWithoutStaleLocks(deps, repo, () => repo.refs.transaction(updates, { stored, fence }));
  } catch (error) {
    // Git may have moved the refs before it failed, so only the refs are conclusive.
    if (!(await orLater(areApplied(repo, updates), true))) {
      await orLater(removeIntent(deps.db, { id }), true);
      throw error;
    }
  }
  await orLater(finishChange(deps, repo, id, intent, project), true);
}
