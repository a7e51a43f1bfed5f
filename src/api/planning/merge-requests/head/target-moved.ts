import type { Db } from '../../../../db/db.schema.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { RefChange } from '../../../../db/tables/ref-intents.table.ts';
import type { Deps } from '../../../../deps.ts';
import { GitError } from '../../../../git/common/index.ts';
import { isAncestor, listCommits, mergedInto } from '../../../../git/history/index.ts';
import { HEADS } from '../../../../git/refs/index.ts';
import type { Repository } from '../../../../git/repository/index.ts';
import { jobKind } from '../../../../jobs/jobs.kinds.ts';
import { repositoryOf } from '../../../../repositories/change-refs.ts';
import { lockMergeRequest } from '../lifecycle/merge-requests.lock.ts';
import { markMerged } from '../lifecycle/merge-requests.state.ts';
import { enqueueRefresh } from '../mergeability/refresh.ts';

/** Maximum number of new commits to match against open merge requests; beyond it, all of them are refreshed. */
const MAX_NEW = 5_000;
const BATCH = 500;

interface TargetMoved {
  project_id: number;
  branch: string;
  old: string | null;
  new: string;
  user_id: number | null;
}

const TARGET_MOVED = jobKind<TargetMoved>('merge_requests.target_moved', { lane: 'git' });

type Open = Pick<MergeRequest, 'id' | 'head_sha' | 'latest_diff_id'>;

/** Enqueues the check of open merge requests into an updated branch. @param db handle of a transaction */
export async function enqueueTargetMoved(
  deps: Deps,
  db: Db,
  projectId: number,
  update: RefChange,
  userId: number | null,
): Promise<void> {
  if (update.new === null) return;
  const payload: TargetMoved = {
    project_id: projectId,
    branch: update.ref.slice(HEADS.length),
    old: update.old,
    new: update.new,
    user_id: userId,
  };
  await deps.jobs.enqueue(db, TARGET_MOVED, payload, { projectId });
}

/**
 * Registers the work after an update of a target branch: merge requests whose head it now contains are marked as
 * merged, and those that share other commits with it get a new version.
 */
export function registerTargetMoved(deps: Deps): void {
  deps.jobs.register(TARGET_MOVED, async (moved) => {
    const project = await deps.db
      .selectFrom('projects')
      .selectAll()
      .where('id', '=', moved.project_id)
      .where('pending_delete', '=', 0)
      .executeTakeFirst();
    if (project === undefined) return;
    const repo = repositoryOf(deps, project);
    const open = await openInto(deps, moved);
    const merged = await mergedHeads(repo, open, moved);
    for (const row of open) {
      if (row.head_sha !== null && merged.has(row.head_sha)) await recordMerged(deps, repo, row, moved);
    }
    const left = open.filter(({ head_sha }) => head_sha === null || !merged.has(head_sha));
    for (const id of await affectedBy(deps, repo, left, moved)) await enqueueRefresh(deps, deps.db, id);
  });
}

const openInto = (deps: Deps, { project_id, branch }: TargetMoved): Promise<Open[]> =>
  deps.db
    .selectFrom('merge_requests')
    .select(['id', 'head_sha', 'latest_diff_id'])
    .where('project_id', '=', project_id)
    .where('target_branch', '=', branch)
    .where('state', '=', 'opened')
    .orderBy('id')
    .execute();

/** Heads that the push introduced. Heads that the branch already contained do not count. */
async function mergedHeads(repo: Repository, open: readonly Open[], moved: TargetMoved): Promise<Set<string>> {
  const heads = [...new Set(open.flatMap(({ head_sha }) => head_sha ?? []))];
  const there: string[] = [];
  for (const head of heads) if ((await repo.objects.info(head)) !== null) there.push(head);
  if (there.length === 0 || moved.old === null) return new Set();
  const now = await mergedInto(repo, there, moved.new);
  if (now.size === 0) return now;
  const before = await mergedInto(repo, [...now], moved.old);
  return now.difference(before);
}

async function recordMerged(deps: Deps, repo: Repository, row: Open, moved: TargetMoved): Promise<void> {
  const head = row.head_sha!;
  const merge_commit_sha = await mergeCommitOf(repo, head, moved);
  await deps.db.transaction().execute(async (db) => {
    const locked = await lockMergeRequest(db, row.id);
    if (locked?.state !== 'opened' || locked.head_sha !== head) return;
    const facts = { head_sha: head, merge_commit_sha, squash_commit_sha: null };
    await markMerged(deps, db, row.id, facts, moved.user_id);
  });
}

/** The first-parent commit of the target branch that introduced the head: a merge commit, or the head itself. */
async function mergeCommitOf(repo: Repository, head: string, { old, new: tip }: TargetMoved): Promise<string> {
  const line = await listCommits(repo, { from: [tip], not: [old!], firstParent: true, limit: MAX_NEW });
  if (line.includes(head)) return head;
  // Binary search: descendants of a commit that contains the head contain it as well.
  let [low, high] = [0, line.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (await isAncestor(repo, head, line[middle]!)) low = middle + 1;
    else high = middle;
  }
  return line[low - 1] ?? head;
}

/** Merge requests whose commits are now in the target branch, or whose base it no longer contains. */
async function affectedBy(
  deps: Deps,
  repo: Repository,
  open: readonly Open[],
  { old, new: tip }: TargetMoved,
): Promise<number[]> {
  const all = open.map(({ id }) => id);
  if (all.length === 0 || old === null || !(await isFastForward(repo, old, tip))) return all;
  const fresh = await listCommits(repo, { from: [tip], not: [old], limit: MAX_NEW });
  if (fresh.length === MAX_NEW) return all;
  const versions = new Set(open.map(({ latest_diff_id }) => latest_diff_id));
  const affected = new Set<number>();
  for (let at = 0; at < fresh.length; at += BATCH) {
    const rows = await deps.db
      .selectFrom('merge_request_commits')
      .select(['merge_request_id', 'diff_id'])
      .where('sha', 'in', fresh.slice(at, at + BATCH))
      .execute();
    for (const { merge_request_id, diff_id } of rows) if (versions.has(diff_id)) affected.add(merge_request_id);
  }
  return [...affected];
}

async function isFastForward(repo: Repository, old: string, tip: string): Promise<boolean> {
  try {
    return await isAncestor(repo, old, tip);
  } catch (error) {
    if (error instanceof GitError) return false;
    throw error;
  }
}
