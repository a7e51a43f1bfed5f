import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, type Transaction, type TransactionBuilder } from 'kysely';
import type { Schema } from './schema.ts';

/** PostgreSQL has undone a transaction so that another one could go on: deadlock, serialization failure. */
const UNDONE = new Set<unknown>(['40P01', '40001']);
const TRIES = 4;
const MAX_PAUSE_MS = 50;

/**
 * Kysely whose transactions begin again when PostgreSQL has chosen them to break a deadlock. So their work must bear to be
 * done from its beginning: nothing outside the database is changed in it.
 */
export class RetryingKysely extends Kysely<Schema> {
  override transaction(): TransactionBuilder<Schema> {
    const builder = super.transaction();
    const once = builder.execute.bind(builder);
    builder.execute = async <T>(work: (db: Transaction<Schema>) => Promise<T>): Promise<T> => {
      for (let tries = 1; ; tries += 1) {
        try {
          return await once(work);
        } catch (error) {
          if (tries === TRIES || !UNDONE.has((error as { code?: unknown } | null)?.code)) throw error;
          await sleep(Math.random() * MAX_PAUSE_MS * tries);
        }
      }
    };
    return builder;
  }
}
