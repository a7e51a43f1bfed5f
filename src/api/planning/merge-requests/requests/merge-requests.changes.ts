import { sql } from 'kysely';
import { type PageRange, pageOf } from '../../../../db/paginate.ts';
import type { MergeRequestDiff } from '../../../../db/tables/merge-request-diffs.table.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { Project } from '../../../../db/tables/projects.table.ts';
import type { Deps } from '../../../../deps.ts';
import { type DiffResult, diffTrees } from '../../../../git/diff/index.ts';
import { repositoryOf } from '../../../../repositories/change-refs.ts';
import { type CommitJson, presentCommit, projectUrl } from '../../../code/index.ts';
import { latestVersion } from '../lifecycle/merge-requests.version.ts';
import { refreshNow } from '../mergeability/refresh.ts';

/** Commits to read at a time. */
const BATCH = 200;

/** The newest version, created now if there is none; undefined if it cannot be created. */
export async function currentVersion(deps: Deps, row: MergeRequest): Promise<MergeRequestDiff | undefined> {
  if (row.latest_diff_id === null && row.state === 'opened')
    return latestVersion(deps.db, await refreshNow(deps, row.id));
  return latestVersion(deps.db, row);
}

/** The repository that holds all versions: that of the target project, so that versions survive their fork. */
export const versionRepository = (deps: Deps, project: Project) => repositoryOf(deps, project);

/** The changed files of a version. */
export async function versionDiff(
  deps: Deps,
  project: Project,
  version: MergeRequestDiff | undefined,
): Promise<DiffResult> {
  if (version === undefined) return { files: [], overflow: false, changedFiles: 0 };
  return diffTrees(versionRepository(deps, project), version.base_commit_sha, version.head_commit_sha);
}

/** A page of the commits of a version, newest first. */
export async function versionCommits(
  deps: Deps,
  project: Project,
  version: MergeRequestDiff | undefined,
  page: PageRange,
): Promise<{ rows: CommitJson[]; total: number }> {
  if (version === undefined) return { rows: [], total: 0 };
  const query = deps.db
    .selectFrom('merge_request_commits')
    .select('sha')
    .where('diff_id', '=', version.id)
    .orderBy('position');
  const { rows, total } = await pageOf(deps.db, query, page);
  const { objects } = versionRepository(deps, project);
  const url = projectUrl(deps, project);
  const commits: CommitJson[] = [];
  for (let at = 0; at < rows.length; at += BATCH) {
    const batch = await Promise.all(rows.slice(at, at + BATCH).map(({ sha }) => objects.commit(sha)));
    for (const commit of batch) if (commit !== null) commits.push(presentCommit(commit, url));
  }
  return { rows: commits, total };
}

/** Query for the versions of a merge request, newest first. */
export const versionsOf = (deps: Deps, row: MergeRequest) =>
  deps.db.selectFrom('merge_request_diffs').selectAll().where('merge_request_id', '=', row.id).orderBy('id', 'desc');

/** Finds a version of the merge request by its id; undefined if it does not exist. */
export const findVersion = (deps: Deps, row: MergeRequest, id: number): Promise<MergeRequestDiff | undefined> =>
  deps.db
    .selectFrom('merge_request_diffs')
    .selectAll()
    .where('merge_request_id', '=', row.id)
    .where('id', '=', id)
    .executeTakeFirst();

/** Ids of the merge requests of a project that introduced a commit: as one of their commits, or by their merge. */
const broughtIn = (projectId: number, sha: string) => sql<{ id: number }>`
  select mr.id from merge_request_commits c
    join merge_requests mr on mr.id = c.merge_request_id and mr.latest_diff_id = c.diff_id
    where c.sha = ${sha} and mr.project_id = ${projectId}
  union
  select mr.id from merge_requests mr where mr.project_id = ${projectId} and mr.merge_commit_sha = ${sha}
  union
  select mr.id from merge_requests mr where mr.project_id = ${projectId} and mr.squash_commit_sha = ${sha}`;

/** Query for the merge requests of a project that introduced a commit, newest first. */
export const mergeRequestsWith = (
  deps: Deps,
  project: Project,
  sha: string,
  state: MergeRequest['state'] | undefined,
) =>
  deps.db
    .selectFrom('merge_requests')
    .selectAll()
    .where(() => sql<boolean>`id in (${broughtIn(project.id, sha)})`)
    .$if(state !== undefined, (some) => some.where('state', '=', state!))
    .orderBy('id', 'desc');
