import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, sql, type Transaction, type TransactionBuilder } from 'kysely';
import type { Db, Schema } from './db.schema.ts';
import { forgetConnection } from './direct.ts';
import { UNSYNCED } from './sqlite-driver.ts';

/** PostgreSQL has undone a transaction so that another one could go on: deadlock, serialization failure. */
const UNDONE = new Set<unknown>(['40P01', '40001']);
const TRIES = 4;
const MAX_PAUSE_MS = 50;

/**
 * Thrown in a transaction that meets what another one has committed since this one looked: it begins again, as after a
 * deadlock.
 */
export class SerializationConflict extends Error {
  readonly code = '40001';

  constructor(cause: unknown) {
    super('another transaction was first', { cause });
  }
}

/** What is done once a transaction that is under way has committed. */
const afterwards = new WeakMap<Db, Set<() => void>>();

/**
 * Kysely with the one way in which transactions run here. One that PostgreSQL has chosen to break a deadlock begins again,
 * so its work must bear to be done from its beginning: nothing outside the database is changed in it. What it asks of
 * `afterCommit` is done once it has committed.
 */
export class TransactionalKysely extends Kysely<Schema> {
  override transaction(): TransactionBuilder<Schema> {
    return repeated(super.transaction());
  }

  /** As `unsynced` below. */
  unsynced(): TransactionBuilder<Schema> {
    return repeated(super.transaction().setIsolationLevel(UNSYNCED));
  }
}

/** The transactions of a builder, begun again where they must be, and with what follows them. */
function repeated(builder: TransactionBuilder<Schema>): TransactionBuilder<Schema> {
  const once = builder.execute.bind(builder);
  // Named first: a function written right behind `builder.execute =` is made among old objects, with all that the transaction reaches.
  const execute = async <T>(work: (db: Transaction<Schema>) => Promise<T>): Promise<T> => {
    for (let tries = 1; ; tries += 1) {
      const effects = new Set<() => void>();
      try {
        const result = await once(async (db) => {
          afterwards.set(db, effects);
          try {
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
 * A transaction that a failure of power may take back, with nothing that was committed before it; the end of the process
 * may not. For bookkeeping that is done again where it is lost: on SQLite its commit waits for no disk, while everybody waits
 * for it. The next ordinary commit puts it on disk, too. On PostgreSQL it is an ordinary one.
 */
export const unsynced = (db: Db): TransactionBuilder<Schema> =>
  db instanceof TransactionalKysely ? db.unsynced() : db.transaction();

/**
 * Does something once the transaction of the handle has committed, at once where the handle is none of a transaction; not
 * at all when it is undone. The same function is called once, however often it was asked for.
 * @param effect throws nothing and waits for nothing
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
 * Does work in a transaction: in that of the handle where it is one's, else in a new one. Inside another one it is a part
 * that is undone alone when it fails, so the transaction can go on.
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
