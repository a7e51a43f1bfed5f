import type { Insertable } from 'kysely';
import type { Db } from '../db/db.schema.ts';
import type { WebHookLogsTable } from '../db/tables/web-hook-logs.table.ts';
import type { Deps } from '../deps.ts';

/** What is written down once a call has ended. */
export interface DeliveryLogEntry {
  /** Null where nothing was called. */
  log: Insertable<WebHookLogsTable> | null;
  deliveryId: number;
  /** How many payloads of it are done; null when it is done itself. */
  sent: number | null;
}

interface Waiting {
  entry: DeliveryLogEntry;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/** Between two writings, in milliseconds: so much may be sent once more after a kill. */
const PAUSE_MS = 200;
const BATCH_SIZE = 500;

/** Writes down what hooks were told, of all hooks in few transactions: each costs the disk its time. */
export class DeliveryLog {
  readonly #deps: Pick<Deps, 'db' | 'config'>;
  readonly #waiting: Waiting[] = [];
  #busy = false;

  constructor(deps: Pick<Deps, 'db' | 'config'>) {
    this.#deps = deps;
  }

  /** Has something written down soon. @returns once it is durable @throws the database's error */
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
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    this.#busy = false;
  }
}

/** @param postgres whether rows can be locked one by one */
async function writeEntries(db: Db, entries: readonly DeliveryLogEntry[], postgres: boolean): Promise<void> {
  const logs = entries.flatMap(({ log }) => log ?? []);
  const hooks = [...new Set(logs.map(({ hook_id }) => hook_id))].sort((a, b) => a - b);
  // Hooks go away meanwhile.
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
