import { timestamp } from '../../../../core/clock.ts';
import { recordNotFound } from '../../../../core/core.errors.ts';
import type { Db } from '../../../../db/db.schema.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { Project } from '../../../../db/tables/projects.table.ts';
import type { Deps } from '../../../../deps.ts';
import { GitError } from '../../../../git/common/index.ts';
import { isAncestor } from '../../../../git/history/index.ts';
import { HEADS } from '../../../../git/refs/index.ts';
import type { Repository } from '../../../../git/repository/index.ts';
import { jobKind } from '../../../../jobs/jobs.kinds.ts';
import { repositoryOf } from '../../../../repositories/change-refs.ts';
import { copyCommit } from '../../../../repositories/copy-commit.ts';
import { ofProject } from '../../../../repositories/holder.ts';
import { shareLfsObjects } from '../../../../repositories/repository.lfs-objects.ts';
import { requireWritable, updateServerRefs } from '../../../../repositories/server-writes.ts';
import { syncRules } from '../approvals/approvals.state.ts';
import { lockMergeRequest } from '../lifecycle/merge-requests.lock.ts';
import { projectOf } from '../lifecycle/merge-requests.projects.ts';
import { baseOf, insertVersion, latestVersion, versionFacts } from '../lifecycle/merge-requests.version.ts';
import { afterMissedPush } from '../lifecycle/missed-push.ts';
import { checkMergeability } from './mergeability.ts';

const MAX_TRIES = 5;
/** The job behind a refresh; its unique key is the merge request's id. */
export const REFRESH = jobKind<{ id: number }>('merge_requests.refresh', { lane: 'git' });

const keyOf = (id: number) => `${REFRESH.name}:${id}`;

/** Delay of the job behind a synchronous refresh, in milliseconds: it runs only if that fails. */
const IN_PLACE_MS = 5_000;

/**
 * Enqueues a refresh of the merge request.
 * @param db handle of a transaction
 * @param options `inPlace`: whether `refreshNow` follows the transaction
 */
export const enqueueRefresh = (deps: Deps, db: Db, id: number, { inPlace = false } = {}): Promise<void> =>
  deps.jobs.enqueue(
    db,
    REFRESH,
    { id },
    { uniqueKey: id, runAt: new Date(deps.clock.now().getTime() + (inPlace ? IN_PLACE_MS : 0)) },
  );

/** Full name of the ref that holds the head of a merge request in the target repository. */
export const headRef = ({ iid }: Pick<MergeRequest, 'iid'>): string => `refs/merge-requests/${iid}/head`;

/**
 * Updates everything about an open merge request to match its `head_sha`: objects of the source branch and
 * `refs/merge-requests/:iid/head` in the target repository, version, and mergeability. Idempotent; serialized for
 * each merge request.
 * @returns the updated row
 * @throws ApiError 404 if it no longer exists, 400 while the target repository is read-only; GitError if git fails
 */
export function refreshMergeRequest(deps: Deps, id: number): Promise<MergeRequest> {
  return deps.writes.run(keyOf(id), async () => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const refreshed = await refreshOnce(deps, id);
        // A concurrent push moved the head: try again with the new one.
        if (refreshed !== null || attempt === MAX_TRIES) return refreshed ?? (await load(deps, id));
      } catch (error) {
        // Another process refreshes it at the same time.
        if (!(error instanceof GitError) || error.code !== 'conflict' || attempt === MAX_TRIES) throw error;
      }
    }
  });
}

/**
 * Refreshes synchronously within a request. If it fails, the job that was enqueued with the change does it later.
 * @returns the updated row
 */
export async function refreshNow(deps: Deps, id: number): Promise<MergeRequest> {
  try {
    const row = await refreshMergeRequest(deps, id);
    await cancelRefresh(deps, row);
    return row;
  } catch (error) {
    deps.log.log('warn', 'merge request not refreshed; retrying in the background', { id, error: String(error) });
    return await load(deps, id);
  }
}

/** Cancels the job of a refresh that was done, unless the merge request changed meanwhile: the job is for that change. */
async function cancelRefresh(deps: Deps, refreshed: MergeRequest): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    const locked = await lockMergeRequest(db, refreshed.id);
    const same =
      locked?.head_sha === refreshed.head_sha &&
      locked.target_branch === refreshed.target_branch &&
      locked.merge_status === refreshed.merge_status &&
      locked.approvals_syncing === refreshed.approvals_syncing;
    if (same) await deps.jobs.cancel(db, REFRESH, refreshed.id);
  });
}

async function load(deps: Deps, id: number): Promise<MergeRequest> {
  return deps.db.selectFrom('merge_requests').selectAll().where('id', '=', id).executeTakeFirstOrThrow(recordNotFound);
}

/** @returns null if the head moved in the meantime */
async function refreshOnce(deps: Deps, id: number): Promise<MergeRequest | null> {
  const row = await afterMissedPush(deps, await load(deps, id));
  const { head_sha: head } = row;
  if (head === null || (row.state !== 'opened' && row.state !== 'locked')) return row;
  const target = await projectOf(deps.db, row.project_id);
  if (target === undefined) return row;
  const repo = repositoryOf(deps, target);
  await requireWritable(deps, ofProject(target), repo);
  await fetchHead(deps, target, repo, row, head);
  const renewed = await updateVersion(deps, repo, row, head);
  const settled = renewed && (await settleApprovals(deps, renewed));
  return settled && checkMergeability(deps, settled);
}

/** Updates the code owner rules for the changes of the head; approvals count from then on. */
async function settleApprovals(deps: Deps, row: MergeRequest): Promise<MergeRequest | null> {
  if (row.approvals_syncing === 0) return row;
  await syncRules(deps, row);
  const settled = await deps.db
    .updateTable('merge_requests')
    .set({ approvals_syncing: 0 })
    .where('id', '=', row.id)
    .where('head_sha', '=', row.head_sha)
    .where('target_branch', '=', row.target_branch)
    .returningAll()
    .executeTakeFirst();
  return settled ?? null;
}

/**
 * Copies the head with its history, and updates the ref that keeps it. A separate ref keeps the head that a force push
 * replaced.
 */
async function fetchHead(
  deps: Deps,
  target: Project,
  repo: Repository,
  row: MergeRequest,
  head: string,
): Promise<void> {
  const ref = headRef(row);
  const now = await repo.refs.resolve(ref);
  if (now === head) return;
  if (row.source_project_id !== row.project_id) {
    const source = await projectOf(deps.db, row.source_project_id);
    // Without a source project, only objects that already exist can be used.
    if (source !== undefined) await copyCommit(repositoryOf(deps, source), repo, head);
  }
  const replaced = now !== null && !(await isAncestor(repo, now, head));
  const updates = [{ ref, old: now, new: head }, ...(replaced ? [{ ref: `refs/keep-around/${now}`, new: now }] : [])];
  await updateServerRefs(deps, ofProject(target), repo, updates);
}

async function updateVersion(
  deps: Deps,
  repo: Repository,
  row: MergeRequest,
  head: string,
): Promise<MergeRequest | null> {
  const known = await latestVersion(deps.db, row);
  const start = (await repo.refs.resolve(`${HEADS}${row.target_branch}`)) ?? known?.start_commit_sha;
  if (start === undefined) return row;
  const base = await baseOf(repo, head, start);
  // For a new target branch the start matters as well; growth of the same branch changes nothing.
  const sameStart = row.approvals_syncing === 0 || known?.start_commit_sha === start;
  const same = known?.head_commit_sha === head && known.base_commit_sha === base && sameStart;
  if (!same && row.source_project_id !== null && row.source_project_id !== row.project_id) {
    await shareLfsObjects(deps, repo, [row.source_project_id, row.project_id], [base, head]);
  }
  const facts = same ? undefined : await versionFacts(repo, head, start, base);
  return deps.db.transaction().execute(async (db) => {
    const locked = await lockMergeRequest(db, row.id);
    if (locked === undefined) throw recordNotFound();
    if (locked.head_sha !== head || locked.target_branch !== row.target_branch) return null;
    if (locked.latest_diff_id !== row.latest_diff_id) return null;
    const now = timestamp(deps.clock);
    const made = facts && (await insertVersion(db, row.id, facts, now));
    return db
      .updateTable('merge_requests')
      .set({
        latest_diff_id: made ?? locked.latest_diff_id,
        prepared_at: locked.prepared_at ?? now,
      })
      .where('id', '=', row.id)
      .returningAll()
      .executeTakeFirstOrThrow();
  });
}
