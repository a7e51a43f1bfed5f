import { timestamp } from '../../../../core/clock.ts';
import { mergeRequestFacts } from '../../../../core/event-facts.ts';
import type { Db } from '../../../../db/db.schema.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { RefChange } from '../../../../db/tables/ref-intents.table.ts';
import type { Deps } from '../../../../deps.ts';
import { HEADS } from '../../../../git/refs/index.ts';
import type { Repository } from '../../../../git/repository/index.ts';
import type { Intent } from '../../../../repositories/intent.ts';
import type { RefObserver } from '../../../../repositories/ref-observers.ts';
import { changeOfUpdate } from '../../issuables/issuables.target.ts';
import { writeSystemNote } from '../../notes/system-note.ts';
import { markTodosDone } from '../../todos/todos.record.ts';
import { type ApprovalsToReset, ownersOfChanges, resetForPush } from '../approvals/reset.ts';
import { lockMergeRequest } from '../lifecycle/merge-requests.lock.ts';
import { closeOrphans } from '../lifecycle/merge-requests.orphans.ts';
import { uncheckedStatus } from '../lifecycle/merge-status.ts';
import { findOpen, type OpenMergeRequest } from '../lifecycle/open-branches.ts';
import { enqueueRefresh } from '../mergeability/refresh.ts';
import { abortForPush } from '../merging/auto-merge.ts';
import { recordMerge } from '../merging/record-merge.ts';
import { branchesWithOtherOwners, enqueueResync } from './owners-changed.ts';
import { describePush } from './push-note.ts';
import { retargetChain } from './retarget.ts';
import { enqueueTargetMoved } from './target-moved.ts';

/** States in which pushes have an effect. */
const OPEN = ['opened', 'locked'] as const;
/** Maximum number of branches per statement. */
const BATCH = 500;

/** Data about the push of a branch from git, loaded before the transaction. */
interface PushFacts {
  /** Text of the system note. */
  note: string | null;
  /** Users whose approvals it removes, by merge request. */
  whose: ReadonlyMap<number, ApprovalsToReset>;
}

const nameOf = ({ ref }: RefChange): string => ref.slice(HEADS.length);

/**
 * Applies the effects of pushes on merge requests in the transaction that records them, in this order: 1. a merge is
 * recorded, with its consequences; if a merged branch is deleted, merge requests into it are retargeted; 2. for each
 * open merge request of an updated branch: its head moves, approvals of the old head are reset, an auto-merge of it
 * is cancelled, and a refresh is enqueued; those of a deleted branch are closed; 3. those into an updated branch
 * become unchecked, and their code owners are recomputed if CODEOWNERS changed.
 */
export const followPush =
  (deps: Deps): RefObserver =>
  async (repo, change) => {
    const updates = change.updates.filter(({ ref }) => ref.startsWith(HEADS));
    if (updates.length === 0) return null;
    const { id } = change.holder;
    const branches = updates.map(nameOf);
    const before = await findOpen(deps.db, id, branches);
    const facts = new Map<string, PushFacts>();
    for (const update of updates) {
      const open = before.bySource.get(nameOf(update));
      if (open !== undefined && update.new !== null)
        facts.set(update.ref, await readPushFacts(deps, repo, update, open));
    }
    const otherOwners = await branchesWithOtherOwners(
      repo,
      updates.filter((update) => before.targets.has(nameOf(update))),
    );
    return async (db) => {
      if (change.cause?.type === 'merge') await recordMerge(deps, db, change.cause, change.userId);
      if (change.cause?.type === 'source_removed') {
        await retargetChain(deps, db, change.cause.merge_request_id, change.userId);
      }
      const open = await findOpen(db, id, branches);
      const orphans: number[] = [];
      const deletedTargets: string[] = [];
      for (const update of updates) {
        const from = open.bySource.get(nameOf(update)) ?? [];
        // The branch may have been created again and recorded first: the ref itself decides.
        if (update.new === null && from.length > 0 && (await repo.refs.resolve(update.ref)) === null) {
          orphans.push(...from.map((row) => row.id));
        } else {
          for (const row of from) await moveSource(deps, db, repo, change, update, row, facts.get(update.ref));
        }
        if (!open.targets.has(nameOf(update))) continue;
        if (update.new === null) deletedTargets.push(nameOf(update));
        else await moveTarget(deps, db, change, update);
      }
      await closeOrphans(deps, db, orphans, change.userId);
      await markUnchecked(db, id, deletedTargets);
      for (const branch of otherOwners) await enqueueResync(deps, db, id, branch);
    };
  };

async function readPushFacts(
  deps: Deps,
  repo: Repository,
  update: RefChange,
  open: readonly OpenMergeRequest[],
): Promise<PushFacts> {
  const head = update.new!;
  const old = update.old ?? open[0]!.head_sha;
  const note = old === head ? null : await describePush(repo, old, head);
  return { note, whose: await ownersOfChanges(deps, repo, open, head) };
}

async function moveSource(
  deps: Deps,
  db: Db,
  repo: Repository,
  { userId, via }: Intent,
  update: RefChange,
  { id, settings }: OpenMergeRequest,
  facts: PushFacts | undefined,
): Promise<void> {
  const row = await lockMergeRequest(db, id);
  if (row === undefined) return;
  // Another process may have recorded a later update first: with the row locked, the ref itself decides.
  const head = update.new === null ? null : ((await repo.refs.resolve(update.ref)) ?? update.new);
  if (head === null || head === row.head_sha) {
    await db
      .updateTable('merge_requests')
      .set((eb) => ({ merge_status: uncheckedStatus(eb) }))
      .where('id', '=', id)
      .execute();
  } else {
    await moveHead(deps, db, row, { head, userId, via, note: facts?.note ?? null });
  }
  if (head !== null) {
    await resetForPush(deps, db, row, { settings, head, whose: facts?.whose.get(id), userId });
    await abortForPush(deps, db, row, userId);
  }
  await enqueueRefresh(deps, db, id);
}

async function moveHead(
  deps: Deps,
  db: Db,
  before: MergeRequest,
  { head, userId, via, note }: Pick<Intent, 'userId' | 'via'> & { head: string; note: string | null },
): Promise<void> {
  const { id, project_id, head_sha } = before;
  const after = await db
    .updateTable('merge_requests')
    .set((eb) => ({
      head_sha: head,
      merge_status: uncheckedStatus(eb),
      approvals_syncing: 1,
      merge_error: null,
      updated_at: timestamp(deps.clock),
    }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  if (note !== null && userId !== null) {
    await writeSystemNote(deps, db, { type: 'MergeRequest', id, projectId: project_id }, userId, 'commit', note);
  }
  if (userId !== null) await markTodosDone(deps, db, { type: 'MergeRequest', id }, userId);
  await deps.events.record(
    db,
    'merge_request.updated',
    {
      merge_request_id: id,
      project_id,
      merge_request: mergeRequestFacts(after),
      changes: changeOfUpdate(before, after),
      old_sha: head_sha,
      new_sha: head,
      via,
    },
    { projectId: project_id, actorId: userId },
  );
}

async function moveTarget(deps: Deps, db: Db, { holder, userId }: Intent, update: RefChange): Promise<void> {
  const moved = await markUnchecked(db, holder.id, [nameOf(update)]);
  if (moved) await enqueueTargetMoved(deps, db, holder.id, update, userId);
}

/** Marks the open merge requests into branches as unchecked, in batches. @returns whether there are any */
async function markUnchecked(db: Db, projectId: number, branches: readonly string[]): Promise<boolean> {
  let any = false;
  for (let at = 0; at < branches.length; at += BATCH) {
    const { numUpdatedRows } = await db
      .updateTable('merge_requests')
      .set((eb) => ({ merge_status: uncheckedStatus(eb) }))
      .where('project_id', '=', projectId)
      .where('target_branch', 'in', branches.slice(at, at + BATCH))
      .where('state', 'in', OPEN)
      .executeTakeFirst();
    any ||= numUpdatedRows > 0n;
  }
  return any;
}
