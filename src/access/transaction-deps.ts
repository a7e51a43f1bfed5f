import type { Db } from '../db/db.schema.ts';
import { SnapshotCache } from '../db/snapshot-cache.ts';
import type { Deps } from '../deps.ts';

const FORGETS = new SnapshotCache(() => null, 1);

/**
 * What services work with inside a transaction: its handle, and nothing remembered from before it. So rights can be
 * looked at again where something is done, by the same functions as before the wait.
 */
export const transactionDeps = (deps: Deps, db: Db): Deps => ({ ...deps, db, snapshot: FORGETS });
