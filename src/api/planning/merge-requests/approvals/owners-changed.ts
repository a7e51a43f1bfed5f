import { CODE_OWNERS_PATHS } from '../../../../core/code-owners.ts';
import type { Deps } from '../../../../deps.ts';
import type { Repository } from '../../../../git/repository.ts';
import { entryAt } from '../../../../git/tree.ts';
import type { RefObserver } from '../../../../repositories/ref-observers.ts';
import { openAmong } from '../requests/open-branches.ts';
import { refreshMergeRequest } from '../requests/refresh.ts';

const HEADS = 'refs/heads/';
const OPEN = ['opened', 'locked'] as const;
const RESYNC = 'approvals.code_owners';

interface Resync {
  project_id: number;
  branch: string;
}

/**
 * Has the code owners of all merge requests into a branch looked up anew when a push changes who they are. From that push
 * on none of them counts as approved until it is done.
 */
export const noticeCodeOwners =
  (deps: Deps): RefObserver =>
  async (repo, { holder, updates }) => {
    if (holder.type !== 'project') return null;
    const branches: string[] = [];
    const moved = updates.filter(({ ref, old, new: head }) => ref.startsWith(HEADS) && old !== null && head !== null);
    const names = moved.map(({ ref }) => ref.slice(HEADS.length));
    const targets = await openAmong(deps.db, 'target', holder.id, names);
    for (const { ref, old, new: head } of moved) {
      if (old === null || head === null || !targets.has(ref.slice(HEADS.length))) continue;
      if ((await ownersFile(repo, old)) !== (await ownersFile(repo, head))) branches.push(ref.slice(HEADS.length));
    }
    if (branches.length === 0) return null;
    return async (db) => {
      for (const branch of branches) {
        const { numUpdatedRows } = await db
          .updateTable('merge_requests')
          .set({ approvals_syncing: 1 })
          .where('project_id', '=', holder.id)
          .where('target_branch', '=', branch)
          .where('state', 'in', OPEN)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) continue;
        const payload: Resync = { project_id: holder.id, branch };
        await deps.jobs.enqueue(db, RESYNC, payload, { uniqueKey: `${RESYNC}:${holder.id}:${branch}` });
      }
    };
  };

/** What tells one CODEOWNERS file of a commit from another: where it is and its object id. */
async function ownersFile(repo: Repository, commit: string): Promise<string> {
  for (const path of CODE_OWNERS_PATHS) {
    const entry = await entryAt(repo, commit, path);
    if (entry?.type === 'blob') return `${path} ${entry.mode} ${entry.oid}`;
  }
  return '';
}

/** Names the work behind `noticeCodeOwners`. */
export function registerResync(deps: Deps): void {
  deps.jobs.register<Resync>(RESYNC, async ({ project_id, branch }, { signal }) => {
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
