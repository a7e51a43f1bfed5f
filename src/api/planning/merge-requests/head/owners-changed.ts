import { CODE_OWNERS_PATHS } from '../../../../core/core.code-owners.ts';
import type { Db } from '../../../../db/db.schema.ts';
import type { RefChange } from '../../../../db/tables/ref-intents.table.ts';
import type { Deps } from '../../../../deps.ts';
import { HEADS } from '../../../../git/refs/index.ts';
import type { Repository } from '../../../../git/repository/index.ts';
import { entryAt } from '../../../../git/trees/index.ts';
import { jobKind } from '../../../../jobs/jobs.kinds.ts';
import { refreshMergeRequest } from '../mergeability/refresh.ts';

const OPEN = ['opened', 'locked'] as const;

interface Resync {
  project_id: number;
  branch: string;
}

const RESYNC = jobKind<Resync>('approvals.code_owners', { lane: 'slow' });

/** Branches whose CODEOWNERS file differs after a push. */
export async function branchesWithOtherOwners(repo: Repository, updates: readonly RefChange[]): Promise<string[]> {
  const branches: string[] = [];
  for (const { ref, old, new: head } of updates) {
    if (old === null || head === null) continue;
    if ((await ownersFile(repo, old)) !== (await ownersFile(repo, head))) branches.push(ref.slice(HEADS.length));
  }
  return branches;
}

/**
 * Enqueues the recomputation of code owner rules of all merge requests into a branch, after a push changed CODEOWNERS.
 * From this transaction on, none of them counts as approved until it is done.
 */
export async function enqueueResync(deps: Deps, db: Db, projectId: number, branch: string): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('merge_requests')
    .set({ approvals_syncing: 1 })
    .where('project_id', '=', projectId)
    .where('target_branch', '=', branch)
    .where('state', 'in', OPEN)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return;
  const payload: Resync = { project_id: projectId, branch };
  await deps.jobs.enqueue(db, RESYNC, payload, { uniqueKey: `${projectId}:${branch}`, projectId });
}

/** Identity of the CODEOWNERS file of a commit: path, mode and object id. */
async function ownersFile(repo: Repository, commit: string): Promise<string> {
  for (const path of CODE_OWNERS_PATHS) {
    const entry = await entryAt(repo, commit, path);
    if (entry?.type === 'blob') return `${path} ${entry.mode} ${entry.oid}`;
  }
  return '';
}

/** Registers the job of `enqueueResync`. */
export function registerResync(deps: Deps): void {
  deps.jobs.register(RESYNC, async ({ project_id, branch }, { signal }) => {
    const open = await deps.db
      .selectFrom('merge_requests')
      .select('id')
      .where('project_id', '=', project_id)
      .where('target_branch', '=', branch)
      .where('state', 'in', OPEN)
      .where('approvals_syncing', '=', 1)
      .orderBy('id')
      .execute();
    for (const { id } of open) {
      signal.throwIfAborted();
      await refreshMergeRequest(deps, id);
    }
  });
}
