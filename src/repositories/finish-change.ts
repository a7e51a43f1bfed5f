import { transactionDeps } from '../access/transaction-deps.ts';
import type { Db } from '../db/db.schema.ts';
import { prepared } from '../db/prepared.ts';
import type { Project } from '../db/tables/projects.table.ts';
import type { RefChange } from '../db/tables/ref-intents.table.ts';
import type { Deps } from '../deps.ts';
import { GitError } from '../git/common/index.ts';
import { HEADS, TAGS } from '../git/refs/index.ts';
import { type Repository, setHead } from '../git/repository/index.ts';
import { hasForks } from './has-forks.ts';
import type { Holder } from './holder.ts';
import type { AppliedChange, Intent } from './intent.ts';
import { FENCED_MS, retryWithoutOrphanedLocks } from './orphaned-locks.ts';
import { pushedRefs } from './push-facts.ts';
import { RECORD } from './record-change.ts';
import { observe } from './ref-observers.ts';
import { requireWritable } from './server-writes.ts';
import { retryWithoutStaleLocks } from './stale-locks-of-writes.ts';

/** Removes an intent; an empty list if there is none. */
export const removeIntent = prepared((db, { id }: { id: number }) =>
  db.deleteFrom('ref_intents').where('id', '=', id).returning('id'),
);

/**
 * A process that considers this one dead removes the intent, but before that its orphaned locks. So a change that took
 * long checks its intent before the refs move.
 */
export function fenceOf(deps: Deps, id: number): () => Promise<void> {
  const from = performance.now();
  return async () => {
    if (!hasForks(deps) || performance.now() - from < FENCED_MS) return;
    const intent = await deps.db.selectFrom('ref_intents').select('id').where('id', '=', id).executeTakeFirst();
    if (intent === undefined) throw new GitError('busy', 'another process has discarded the change');
  };
}

/**
 * Records the consequences of moved refs and removes the intent, in one transaction.
 * @param project as of the announcement, if known
 */
export async function finishChange(
  deps: Deps,
  repo: Repository,
  intentId: number,
  intent: Intent,
  project: Project | null = null,
): Promise<void> {
  const { holder, updates } = intent;
  const fence = fenceOf(deps, intentId);
  const hooks = deps.refChanges[holder.type];
  const firstBranch = intent.wasEmpty ? await pickDefaultBranch(deps, holder, repo, updates, fence) : null;
  updateCommitGraph(repo, updates);
  const works = await observe(hooks.observers, repo, intent);
  const change: AppliedChange = Object.freeze({
    ...intent,
    updates: await pushedRefs(hooks.facts, repo, updates, project),
    defaultBranch: await defaultBranchFor(repo, updates),
    firstBranch,
  });
  await deps.db.transaction().execute(async (db) => {
    const isLeft = (await removeIntent(db, { id: intentId })).length > 0;
    if (!isLeft && !(await wasDropped(deps, db, intentId))) return;
    // The repository may have been moved meanwhile.
    if (!isLeft && (await requireWritable(transactionDeps(deps, db), holder, repo)) === undefined) return;
    await RECORD[holder.type](deps, db, change);
    for (const work of works) await work(db);
  });
}

/** Tags usually point to commits of branches; the others are left to the housekeeping. */
const updateCommitGraph = (repo: Repository, updates: readonly RefChange[]): void =>
  repo.history.refsChanged(updates.flatMap(({ ref, new: oid }) => (oid === null || ref.startsWith(TAGS) ? [] : [oid])));

/** Whether another process considered this one dead before any ref had moved, and dropped the intent. */
async function wasDropped(deps: Deps, db: Db, id: number): Promise<boolean> {
  if (!hasForks(deps)) return false;
  const { numDeletedRows } = await db.deleteFrom('dropped_ref_intents').where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** The first branches of an empty repository determine its default branch, unless HEAD already names one of them. */
async function pickDefaultBranch(
  deps: Deps,
  holder: Holder,
  repo: Repository,
  updates: readonly RefChange[],
  fence: () => Promise<void>,
): Promise<string | null> {
  const created = updates.flatMap(({ ref, new: oid }) =>
    oid !== null && ref.startsWith('refs/heads/') ? [ref.slice('refs/heads/'.length)] : [],
  );
  if (created.length === 0) return null;
  const head = await repo.refs.head();
  if (head !== null && created.includes(head)) return head;
  const chosen = ['main', 'master'].find((name) => created.includes(name)) ?? created[0]!;
  const set = () => retryWithoutStaleLocks(deps, repo, () => setHead(repo.dir, chosen, fence));
  await retryWithoutOrphanedLocks(deps, holder, repo, ['HEAD'], set);
  return chosen;
}

/** Default branch for events, if branches were created. */
async function defaultBranchFor(
  repo: Repository,
  updates: readonly RefChange[],
): Promise<AppliedChange['defaultBranch']> {
  if (!updates.some((each) => each.old === null && each.ref.startsWith(HEADS))) return undefined;
  const name = await repo.refs.head();
  return name === null ? null : { name, sha: await repo.refs.resolve(`${HEADS}${name}`) };
}
