import type { Db } from '../../../../db/schema.ts';

/** Branches that one query names at most. */
const BATCH = 500;
const COLUMNS = { source: 'source_project_id', target: 'project_id' } as const;
const OPEN = ['opened', 'locked'] as const;

/** Branches of the project that an open merge request comes from or leads to. */
export async function openBranches(db: Db, projectId: number): Promise<Set<string>> {
  const rows = await db
    .selectFrom('merge_requests')
    .select('source_branch as name')
    .where('source_project_id', '=', projectId)
    .where('state', 'in', OPEN)
    .union((eb) =>
      eb
        .selectFrom('merge_requests')
        .select('target_branch as name')
        .where('project_id', '=', projectId)
        .where('state', 'in', OPEN),
    )
    .execute();
  return new Set(rows.map(({ name }) => name));
}

/**
 * Which of the branches of a project an open merge request comes from (or goes into): what a push of thousands of
 * branches has to look at. Uses one query for some hundreds of branches.
 */
export async function openAmong(
  db: Db,
  side: 'source' | 'target',
  projectId: number,
  branches: readonly string[],
): Promise<Set<string>> {
  const found = new Set<string>();
  for (let at = 0; at < branches.length; at += BATCH) {
    const rows = await db
      .selectFrom('merge_requests')
      .select(`${side}_branch as branch`)
      .distinct()
      .where(COLUMNS[side], '=', projectId)
      .where(`${side}_branch`, 'in', branches.slice(at, at + BATCH))
      .where('state', 'in', OPEN)
      .execute();
    for (const { branch } of rows) found.add(branch);
  }
  return found;
}
