import type { Db } from '../db/db.schema.ts';
import type { Repository } from '../git/git.repository.ts';
import type { Intent } from './intent.ts';

/** What is written in the transaction that records a change of refs. */
export type TransactionEffect = (db: Db) => Promise<void>;

/**
 * Takes part in every change of refs, for what must be true as soon as the change is (approvals that a push takes away).
 * All else subscribes to the events.
 * @returns what to write in the transaction, or null; called after the refs have moved and before the transaction, so
 * that git can be asked here and not in it
 */
export type RefObserver = (repo: Repository, change: Intent) => Promise<TransactionEffect | null>;

/** What the observers of a change want written, in the order in which they were registered. */
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
