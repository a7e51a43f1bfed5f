import type { Db } from '../db/db.schema.ts';
import type { Repository } from '../git/repository/index.ts';
import type { HolderType } from './holder.ts';
import type { Intent } from './intent.ts';
import { type PushFact, soleCommit } from './push-facts.ts';

/** A write in the transaction that records a ref change. */
export type TransactionEffect = (db: Db) => Promise<void>;

/**
 * Takes part in every ref change, for state that must be updated together with it (such as approvals removed by a
 * push). Everything else subscribes to events.
 * @returns the write for the transaction, or null; called after the refs have moved and before the transaction, so
 *   that git can be called here and not in it
 */
export type RefObserver = (repo: Repository, change: Intent) => Promise<TransactionEffect | null>;

/** What takes part in the changes of refs, by type of holder. */
export type RefChangeHooks = Readonly<Record<HolderType, { facts: PushFact[]; observers: RefObserver[] }>>;

/** The hooks of a server; what others add is registered during the start. */
export const refChangeHooks = (): RefChangeHooks => ({
  project: { facts: [soleCommit], observers: [] },
  snippet: { facts: [], observers: [] },
  wiki: { facts: [], observers: [] },
});

/** Collects the writes of all observers of a change, in the order of registration. */
export async function observe(
  observers: readonly RefObserver[],
  repo: Repository,
  change: Intent,
): Promise<TransactionEffect[]> {
  const works: TransactionEffect[] = [];
  for (const observer of observers) {
    const work = await observer(repo, change);
    if (work !== null) works.push(work);
  }
  return works;
}
