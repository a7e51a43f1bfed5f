import type { Insertable } from 'kysely';
import type { Db } from '../db/db.schema.ts';
import type { WebHookLogsTable } from '../db/tables/web-hook-logs.table.ts';
import type { Deps } from '../deps.ts';

/** A log entry of a finished delivery. */
export interface DeliveryLogEntry {
  /** Null if no call was made. */
  log: Insertable<WebHookLogsTable> | null;
  deliveryId: number;
  /** Number of payloads already sent; null if the delivery is complete. */
  sent: number | null;
}

interface Waiting {
  entry: DeliveryLogEntry;
  resolve: () => void;
  reject: (error: unknown) => void;
}

const BATCH_SIZE = 500;

/** Logs deliveries of all hooks in few transactions, as each one costs a disk write. */
export class DeliveryLog {
  readonly #deps: Pick<Deps, 'db' | 'config'>;
  readonly #waiting: Waiting[] = [];
  #busy = false;

  constructor(deps: Pick<Deps, 'db' | 'config'>) {
    this.#deps = deps;
  }

  /**
   * Adds an entry to the next write.
   * @returns a promise that resolves once it is durable
   * @throws errors of the database
   */
  add(entry: DeliveryLogEntry): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push({ entry, resolve, reject });
    if (!this.#busy) void this.#run();
    return promise;
  }

  async #run(): Promise<void> {
    this.#busy = true;
    while (this.#waiting.length > 0) {
      const some = this.#waiting.splice(0, BATCH_SIZE);
      try {
        const { db, config } = this.#deps;
        const entries = some.map(({ entry }) => entry);
        await db.transaction().execute((db) => writeEntries(db, entries, config.database.kind === 'postgres'));
        for (const { resolve } of some) resolve();
      } catch (error) {
        for (const { reject } of some) reject(error);
      }
      await new Promise((resolve) => setTimeout(resolve, this.#deps.config.deliveryLogPauseMs));
    }
    this.#busy = false;
  }
}

/** @param postgres whether rows can be locked individually */
async function writeEntries(db: Db, entries: readonly DeliveryLogEntry[], postgres: boolean): Promise<void> {
  const logs = entries.flatMap(({ log }) => log ?? []);
  const hooks = [...new Set(logs.map(({ hook_id }) => hook_id))].sort((a, b) => a - b);
  // Hooks may be deleted in the meantime.
  const there = await db
    .selectFrom('web_hooks')
    .select('id')
    .where('id', 'in', hooks)
    .orderBy('id')
    .$if(postgres, (query) => query.forKeyShare())
    .execute();
  const known = new Set(there.map(({ id }) => id));
  const rows = logs.filter(({ hook_id }) => known.has(hook_id));
  if (rows.length > 0) await db.insertInto('web_hook_logs').values(rows).execute();
  const done = entries.flatMap(({ sent, deliveryId }) => (sent === null ? [deliveryId] : []));
  await db.deleteFrom('web_hook_deliveries').where('id', 'in', done).execute();
  for (const { sent, deliveryId } of entries) {
    if (sent === null || done.includes(deliveryId)) continue;
    await db.updateTable('web_hook_deliveries').set({ sent }).where('id', '=', deliveryId).execute();
  }
}
