import { timestamp } from '../../../../core/clock.ts';
import { recordNotFound, refused } from '../../../../core/core.errors.ts';
import type { Db } from '../../../../db/db.schema.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { Project } from '../../../../db/tables/projects.table.ts';
import type { Deps } from '../../../../deps.ts';
import { isOid } from '../../../../git/common/index.ts';
import type { Commit } from '../../../../git/objects/index.ts';
import { lockMergeRequest } from '../lifecycle/merge-requests.lock.ts';
import { versionRepository } from '../requests/merge-requests.changes.ts';

/** Maximum number of context commits of a merge request. */
const MAX_COMMITS = 200;
const invalid = () => refused("One or more context commits' sha is not valid.");

const shasOf = async (db: Db, { id }: MergeRequest): Promise<string[]> => {
  const query = db.selectFrom('merge_request_context_commits').select('sha').where('merge_request_id', '=', id);
  return (await query.orderBy('id').execute()).map(({ sha }) => sha);
};

const load = async (deps: Deps, project: Project, shas: readonly string[]): Promise<(Commit | null)[]> => {
  const { objects } = versionRepository(deps, project);
  return Promise.all(shas.map((sha) => (isOid(sha) ? objects.commit(sha) : null)));
};

/** The context commits, newest first, without those that git no longer has. */
export async function contextCommits(deps: Deps, project: Project, row: MergeRequest): Promise<Commit[]> {
  const commits = (await load(deps, project, await shasOf(deps.db, row))).filter((commit) => commit !== null);
  return commits.sort((a, b) => b.committer.timestamp - a.committer.timestamp);
}

/**
 * Adds context commits to a merge request.
 * @returns the added commits, in the given order
 * @throws ApiError 400 for invalid and existing commits, and beyond 200; 404
 */
export async function addContextCommits(
  deps: Deps,
  project: Project,
  row: MergeRequest,
  input: readonly string[],
): Promise<Commit[]> {
  const shas = [...new Set(input)];
  const commits = (await load(deps, project, shas)).filter((commit) => commit !== null);
  if (commits.length < shas.length) throw invalid();
  await deps.db.transaction().execute(async (db) => {
    if ((await lockMergeRequest(db, row.id)) === undefined) throw recordNotFound();
    const there = new Set(await shasOf(db, row));
    const twice = shas.filter((sha) => there.has(sha));
    if (twice.length > 0) throw refused(`Context commits: ${twice.join(', ')} are already created`);
    if (there.size + shas.length > MAX_COMMITS) {
      throw refused(`Limit reached: a merge request has at most ${MAX_COMMITS} context commits. Remove some first.`);
    }
    const now = timestamp(deps.clock);
    const rows = shas.map((sha) => ({ merge_request_id: row.id, sha, created_at: now }));
    await db.insertInto('merge_request_context_commits').values(rows).execute();
  });
  return commits;
}

/** Removes context commits. @throws ApiError 400 for one that is not a context commit, 404 */
export async function removeContextCommits(deps: Deps, row: MergeRequest, input: readonly string[]): Promise<void> {
  const shas = [...new Set(input)];
  await deps.db.transaction().execute(async (db) => {
    if ((await lockMergeRequest(db, row.id)) === undefined) throw recordNotFound();
    const { numDeletedRows } = await db
      .deleteFrom('merge_request_context_commits')
      .where('merge_request_id', '=', row.id)
      .where('sha', 'in', shas)
      .executeTakeFirst();
    if (Number(numDeletedRows) < shas.length) throw invalid();
  });
}
