import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, sql, type Transaction, type TransactionBuilder } from 'kysely';
import type { Db, Schema } from './db.schema.ts';
import { forgetConnection } from './direct.ts';
import { doNotSync } from './sqlite-driver.ts';

/** PostgreSQL rolled a transaction back in favour of another one: deadlock, serialization failure. */
const UNDONE = new Set<unknown>(['40P01', '40001']);
const TRIES = 4;
const MAX_PAUSE_MS = 50;

/**
 * Thrown in a transaction that detects a conflicting commit since its own reads: it is repeated, as after a deadlock.
 */
export class SerializationConflict extends Error {
  readonly code = '40001';

  constructor(cause: unknown) {
    super('another transaction was first', { cause });
  }
}

/** Effects to run after the commit of a transaction. */
const afterwards = new WeakMap<Db, Set<() => void>>();

/**
 * Kysely with the transactions of this server. A transaction that PostgreSQL rolls back to break a deadlock is
 * repeated, so its work must not change anything outside the database. Effects registered with `afterCommit` run after
 * the commit.
 */
export class TransactionalKysely extends Kysely<Schema> {
  override transaction(): TransactionBuilder<Schema> {
    return repeated(super.transaction());
  }

  /** See `unsynced` below. */
  unsynced(): TransactionBuilder<Schema> {
    return repeated(super.transaction(), { synced: false });
  }
}

/** How a transaction is committed. */
interface TransactionOptions {
  /** Whether its commit waits for the disk. */
  synced: boolean;
}

/** A builder whose transactions are repeated if necessary, and followed by their effects. */
function repeated(
  builder: TransactionBuilder<Schema>,
  { synced }: TransactionOptions = { synced: true },
): TransactionBuilder<Schema> {
  const once = builder.execute.bind(builder);
  // The function gets a name first: one assigned directly to `builder.execute` would be allocated among old objects,
  // with everything the transaction reaches.
  const execute = async <T>(work: (db: Transaction<Schema>) => Promise<T>): Promise<T> => {
    for (let tries = 1; ; tries += 1) {
      const effects = new Set<() => void>();
      try {
        const result = await once(async (db) => {
          afterwards.set(db, effects);
          try {
            if (!synced) await doNotSync(db);
            return await work(db);
          } finally {
            forgetConnection(db);
          }
        });
        for (const effect of effects) effect();
        return result;
      } catch (error) {
        if (tries === TRIES || !UNDONE.has((error as { code?: unknown } | null)?.code)) throw error;
        await sleep(Math.random() * MAX_PAUSE_MS * tries);
      }
    }
  };
  builder.execute = execute;
  return builder;
}

/**
 * A transaction that a power failure, but not the end of the process, may undo together with earlier ones. For
 * bookkeeping that is repeated if lost: on SQLite its commit does not wait for the disk, which would block everybody.
 * The next ordinary commit flushes it as well. On PostgreSQL it is an ordinary one.
 */
export const unsynced = (db: Db): TransactionBuilder<Schema> =>
  db instanceof TransactionalKysely ? db.unsynced() : db.transaction();

/**
 * Runs an effect after the transaction of the handle commits; immediately for a handle without a transaction; not at
 * all after a rollback. The same function runs once, however often it is registered.
 * @param effect must not throw or wait
 */
export function afterCommit(db: Db, effect: () => void): void {
  if (!db.isTransaction) {
    effect();
    return;
  }
  const effects = afterwards.get(db);
  if (effects === undefined) throw new Error('the transaction was not begun by the database of the server');
  effects.add(effect);
}

/**
 * Runs work in the handle's transaction, or in a new one. Inside another transaction it is a savepoint that is rolled
 * back alone if it fails, so that the transaction can continue.
 */
export async function inTransaction<T>(db: Db, work: (db: Db) => Promise<T>): Promise<T> {
  if (!db.isTransaction) return db.transaction().execute(work);
  await sql`savepoint part`.execute(db);
  try {
    const result = await work(db);
    await sql`release savepoint part`.execute(db);
    return result;
  } catch (error) {
    await sql`rollback to savepoint part`.execute(db);
    await sql`release savepoint part`.execute(db);
    throw error;
  }
}
