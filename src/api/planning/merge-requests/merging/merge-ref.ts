import { recordNotFound, refused } from '../../../../core/core.errors.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { Project } from '../../../../db/tables/projects.table.ts';
import type { Deps } from '../../../../deps.ts';
import { writeCommit } from '../../../../git/commits/index.ts';
import { GitError } from '../../../../git/common/index.ts';
import { mergeCommits } from '../../../../git/merge/index.ts';
import type { NewIdentity } from '../../../../git/objects/index.ts';
import type { Repository } from '../../../../git/repository/index.ts';
import { inRepositoryQueue } from '../../../../repositories/change-refs.ts';
import { ofProject } from '../../../../repositories/holder.ts';
import { requireWritable, updateServerRefs } from '../../../../repositories/server-writes.ts';
import { recoverLockedMerge } from './recover-locked-merge.ts';

const MAX_TRIES = 3;
const NOT_MERGEABLE = 'Merge request is not mergeable';

const isMergeable = (row: MergeRequest): row is MergeRequest & { head_sha: string } =>
  row.state === 'opened' && row.head_sha !== null && row.merge_status === 'can_be_merged';

/**
 * Updates `refs/merge-requests/:iid/merge` to the result of a merge into the current target branch, if it is out of
 * date.
 * @returns the commit
 * @throws ApiError 400 if git cannot merge it, or if it is not open
 */
export async function updateMergeRef(deps: Deps, target: Project, input: MergeRequest): Promise<string> {
  if (input.state !== 'opened') throw refused(NOT_MERGEABLE);
  const row = await recoverLockedMerge(deps, input);
  if (!isMergeable(row)) throw refused(NOT_MERGEABLE);
  const author = await deps.db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', row.author_id)
    .executeTakeFirstOrThrow();
  const identity = { name: author.name, email: author.commit_email ?? author.email, date: deps.clock.now() };
  return inRepositoryQueue(deps, target, async (repo) => {
    // After the wait, the merge request may be closed, or have another target or head.
    const now = await deps.db.selectFrom('merge_requests').selectAll().where('id', '=', row.id).executeTakeFirst();
    if (now === undefined) throw recordNotFound();
    if (!isMergeable(now)) throw refused(NOT_MERGEABLE);
    await requireWritable(deps, ofProject(target), repo);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await renew(deps, target, repo, now, now.head_sha, identity);
      } catch (error) {
        if (!(error instanceof GitError) || error.code !== 'conflict' || attempt === MAX_TRIES) throw error;
      }
    }
  });
}

async function renew(
  deps: Deps,
  target: Project,
  repo: Repository,
  { iid, target_branch }: MergeRequest,
  head: string,
  identity: NewIdentity,
): Promise<string> {
  const ref = `refs/merge-requests/${iid}/merge`;
  const tip = await repo.refs.resolve(`refs/heads/${target_branch}`);
  if (tip === null) throw refused(NOT_MERGEABLE);
  const now = await repo.refs.resolve(ref);
  const parents = now === null ? undefined : (await repo.objects.commit(now))?.parents;
  if (now !== null && parents?.[0] === tip && parents[1] === head) return now;
  const merged = await mergeCommits(repo, tip, head);
  if (merged.kind !== 'clean') throw refused(NOT_MERGEABLE);
  const message = `Merge ${head} into ${tip}`;
  const made = { tree: merged.tree, parents: [tip, head], author: identity, committer: identity, message };
  const commit = await writeCommit(repo, made, merged.objects);
  await updateServerRefs(deps, ofProject(target), repo, [{ ref, old: now, new: commit }]);
  return commit;
}
