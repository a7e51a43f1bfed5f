import type { Db } from '../../../db/db.schema.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

const BATCH = 500;

/** Returns the number of the merged merge request that first brought each commit in, by commit. */
export async function mergeRequestsOf(db: Db, { id }: Project, shas: readonly string[]): Promise<Map<string, number>> {
  const numbers = new Map<string, number>();
  const note = (sha: string | null, iid: number) => {
    if (sha !== null) numbers.set(sha, Math.min(iid, numbers.get(sha) ?? iid));
  };
  for (let at = 0; at < shas.length; at += BATCH) {
    const some = shas.slice(at, at + BATCH);
    const merged = db
      .selectFrom('merge_requests as mr')
      .where('mr.project_id', '=', id)
      .where('mr.state', '=', 'merged');
    const byCommit = await db
      .selectFrom('merge_request_commits as c')
      .innerJoin('merge_requests as mr', (join) =>
        join.onRef('mr.id', '=', 'c.merge_request_id').onRef('mr.latest_diff_id', '=', 'c.diff_id'),
      )
      .select(['c.sha', 'mr.iid'])
      .where('c.sha', 'in', some)
      .where('mr.project_id', '=', id)
      .where('mr.state', '=', 'merged')
      .execute();
    for (const { sha, iid } of byCommit) note(sha, iid);
    const merges = await merged
      .select(['merge_commit_sha as sha', 'iid'])
      .where('merge_commit_sha', 'in', some)
      .execute();
    const squashes = await merged
      .select(['squash_commit_sha as sha', 'iid'])
      .where('squash_commit_sha', 'in', some)
      .execute();
    for (const { sha, iid } of [...merges, ...squashes]) note(sha, iid);
  }
  return numbers;
}
