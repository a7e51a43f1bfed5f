import { SnapshotCache } from '../core/cache/index.ts';
import type { Db } from '../db/db.schema.ts';
import type { Deps } from '../deps.ts';

const FORGETS = new SnapshotCache(() => null);

/**
 * Dependencies bound to a transaction: its handle, and no values cached before it. With them, rights are checked again
 * inside the transaction by the same functions.
 */
export const transactionDeps = (deps: Deps, db: Db): Deps => ({ ...deps, db, snapshot: FORGETS });
