import { timestamp } from '../../../../core/clock.ts';
import type { Db } from '../../../../db/schema.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.ts';
import type { RefChange } from '../../../../db/tables/repositories.ts';
import type { Deps } from '../../../../deps.ts';
import type { Repository } from '../../../../git/repository.ts';
import type { Intent } from '../../../../repositories/intent.ts';
import type { RefObserver } from '../../../../repositories/ref-observers.ts';
import { writeSystemNote } from '../../notes/system-note.ts';
import { settleTodos } from '../../todos/record.ts';
import { lockMergeRequest } from '../approvals/lock.ts';
import { uncheckedStatus } from './merge-status.ts';
import { openAmong } from './open-branches.ts';
import { describePush } from './push-note.ts';
import { enqueueRefresh } from './refresh.ts';
import { markMerged } from './state.ts';
import { enqueueTargetMoved } from './target-moved.ts';

const HEADS = 'refs/heads/';
/** States in which a push still counts. */
const OPEN = ['opened', 'locked'] as const;

/**
 * Lets pushes have their effect on merge requests in the transaction that records them: a moved source branch is the
 * new head, a moved target branch means another check, and a merge is entered.
 */
export const observeMergeRequests =
  (deps: Deps): RefObserver =>
  async (repo, change) => {
    const updates = change.updates.filter(({ ref }) => ref.startsWith(HEADS));
    if (change.holder.type !== 'project' || updates.length === 0) return null;
    const { id } = change.holder;
    const branches = updates.map(nameOf);
    const before = await openAmong(deps.db, 'source', id, branches);
    const notes = new Map<string, string>();
    for (const update of updates.filter((each) => before.has(nameOf(each)))) {
      const note = await noteOf(deps, repo, change, update);
      if (note !== null) notes.set(update.ref, note);
    }
    return async (db) => {
      await enterMerge(deps, db, change);
      const sources = await openAmong(db, 'source', id, branches);
      const targets = await openAmong(db, 'target', id, branches);
      for (const update of updates) {
        if (sources.has(nameOf(update))) await moveSource(deps, db, repo, change, update, notes.get(update.ref));
        if (targets.has(nameOf(update))) await moveTarget(deps, db, change, update);
      }
    };
  };

const nameOf = ({ ref }: RefChange): string => ref.slice(HEADS.length);

async function enterMerge(deps: Deps, db: Db, { cause, userId }: Intent): Promise<void> {
  if (cause?.type !== 'merge') return;
  const { merge_request_id, head_sha, merge_commit_sha, squash_commit_sha } = cause;
  await markMerged(deps, db, merge_request_id, { head_sha, merge_commit_sha, squash_commit_sha }, userId);
}

const openFrom = (db: Db, projectId: number, ref: string) =>
  db
    .selectFrom('merge_requests')
    .select(['id', 'project_id', 'head_sha'])
    .where('source_project_id', '=', projectId)
    .where('source_branch', '=', ref.slice(HEADS.length))
    .where('state', 'in', OPEN)
    .orderBy('id');

/** What the discussion will tell of a push; null where no merge request is open for the branch. */
async function noteOf(deps: Deps, repo: Repository, change: Intent, update: RefChange): Promise<string | null> {
  if (update.new === null) return null;
  const first = await openFrom(deps.db, change.holder.id, update.ref).limit(1).executeTakeFirst();
  const old = update.old ?? first?.head_sha ?? null;
  if (first === undefined || old === update.new) return null;
  return describePush(repo, old, update.new);
}

async function moveSource(
  deps: Deps,
  db: Db,
  repo: Repository,
  change: Intent,
  update: RefChange,
  note?: string,
): Promise<void> {
  for (const { id } of await openFrom(db, change.holder.id, update.ref).execute()) {
    const row = await lockMergeRequest(db, id);
    if (row === undefined) continue;
    // Another process may have moved the branch on and recorded that first: with the row in hand the ref itself tells.
    const head = update.new === null ? null : ((await repo.refs.resolve(update.ref)) ?? update.new);
    if (head === null || head === row.head_sha) {
      await db
        .updateTable('merge_requests')
        .set((eb) => ({ merge_status: uncheckedStatus(eb) }))
        .where('id', '=', id)
        .execute();
    } else {
      await moveHead(deps, db, row, head, change.userId, note);
    }
    await enqueueRefresh(deps, db, id);
  }
}

async function moveHead(
  deps: Deps,
  db: Db,
  { id, project_id, head_sha }: MergeRequest,
  head: string,
  userId: number | null,
  note: string | undefined,
): Promise<void> {
  await db
    .updateTable('merge_requests')
    .set((eb) => ({
      head_sha: head,
      merge_status: uncheckedStatus(eb),
      approvals_syncing: 1,
      merge_error: null,
      updated_at: timestamp(deps.clock),
    }))
    .where('id', '=', id)
    .execute();
  if (note !== undefined && userId !== null) {
    await writeSystemNote(deps, db, { type: 'MergeRequest', id, projectId: project_id }, userId, 'commit', note);
  }
  if (userId !== null) await settleTodos(deps, db, { type: 'MergeRequest', id }, userId);
  await deps.events.record(
    db,
    'merge_request.updated',
    { merge_request_id: id, project_id, changes: {}, old_sha: head_sha, new_sha: head },
    { projectId: project_id, actorId: userId },
  );
}

async function moveTarget(deps: Deps, db: Db, { holder, userId }: Intent, update: RefChange): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('merge_requests')
    .set((eb) => ({ merge_status: uncheckedStatus(eb) }))
    .where('project_id', '=', holder.id)
    .where('target_branch', '=', update.ref.slice(HEADS.length))
    .where('state', 'in', OPEN)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) await enqueueTargetMoved(deps, db, holder.id, update, userId);
}
