import type { Db } from '../../../../db/db.schema.ts';
import type { MergeRequestDiff } from '../../../../db/tables/merge-request-diffs.table.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import { diffTrees, patchId } from '../../../../git/diff/index.ts';
import { countCommits, listCommits, mergeBase } from '../../../../git/history/index.ts';
import type { Repository } from '../../../../git/repository/index.ts';

/** Maximum number of stored commits of a version: the newest. */
export const MAX_COMMITS = 10_000;
/** Commits to read from the repository, and rows to write, at a time. */
const BATCH = 200;

/** Data of a version, from git. */
export interface VersionFacts {
  row: Omit<MergeRequestDiff, 'id' | 'merge_request_id' | 'created_at'>;
  commits: readonly { sha: string; author_email: string; committer_email: string }[];
}

/** The latest version of a merge request; undefined before the first one exists. */
export async function latestVersion(
  db: Db,
  { latest_diff_id }: Pick<MergeRequest, 'latest_diff_id'>,
): Promise<MergeRequestDiff | undefined> {
  if (latest_diff_id === null) return undefined;
  return db.selectFrom('merge_request_diffs').selectAll().where('id', '=', latest_diff_id).executeTakeFirst();
}

/**
 * Base of a comparison of a source head with a target head: the merge base, or the target itself without common
 * history.
 */
export const baseOf = async (repo: Repository, head: string, start: string): Promise<string> =>
  (await mergeBase(repo, [head, start])) ?? start;

/**
 * Computes the version of a head against the head of the target branch. All objects must be in the repository.
 * @throws GitError `failed` if an object is missing, `timeout`
 */
export async function versionFacts(repo: Repository, head: string, start: string, base: string): Promise<VersionFacts> {
  const oids = await listCommits(repo, { from: [head], not: [start], limit: MAX_COMMITS });
  const { changedFiles, overflow } = await diffTrees(repo, base, head);
  return {
    row: {
      head_commit_sha: head,
      base_commit_sha: base,
      start_commit_sha: start,
      state: changedFiles === 0 ? 'empty' : overflow ? 'overflow' : 'collected',
      real_size: overflow ? `${Math.min(changedFiles, 1_000)}+` : String(changedFiles),
      commits_count: oids.length < MAX_COMMITS ? oids.length : await countCommits(repo, [head], { not: [start] }),
      patch_id_sha: await patchId(repo, base, head),
    },
    commits: await readAuthors(repo, oids),
  };
}

async function readAuthors(repo: Repository, oids: readonly string[]): Promise<VersionFacts['commits']> {
  const rows: VersionFacts['commits'][number][] = [];
  for (let at = 0; at < oids.length; at += BATCH) {
    const commits = await Promise.all(oids.slice(at, at + BATCH).map((oid) => repo.objects.commit(oid)));
    for (const commit of commits) {
      if (commit === null) continue;
      const { oid, author, committer } = commit;
      rows.push({
        sha: oid,
        author_email: author.email.toLowerCase(),
        committer_email: committer.email.toLowerCase(),
      });
    }
  }
  return rows;
}

/** Inserts a version with its commits. @param db handle of a transaction @returns its id */
export async function insertVersion(
  db: Db,
  mergeRequestId: number,
  { row, commits }: VersionFacts,
  now: string,
): Promise<number> {
  const { id } = await db
    .insertInto('merge_request_diffs')
    .values({ ...row, merge_request_id: mergeRequestId, created_at: now })
    .returning('id')
    .executeTakeFirstOrThrow();
  for (let at = 0; at < commits.length; at += BATCH) {
    const rows = commits.slice(at, at + BATCH).map((commit, index) => ({
      ...commit,
      merge_request_id: mergeRequestId,
      diff_id: id,
      position: at + index,
    }));
    await db.insertInto('merge_request_commits').values(rows).execute();
  }
  return id;
}
