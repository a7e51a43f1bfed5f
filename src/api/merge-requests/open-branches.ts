import type { Db } from '../../db/schema.ts';

/** Branches of the project that an open merge request comes from or leads to. */
export async function openBranches(db: Db, projectId: number): Promise<Set<string>> {
  const open = ['opened', 'locked'] as const;
  const rows = await db
    .selectFrom('merge_requests')
    .select('source_branch as name')
    .where('source_project_id', '=', projectId)
    .where('state', 'in', open)
    .union((eb) =>
      eb
        .selectFrom('merge_requests')
        .select('target_branch as name')
        .where('project_id', '=', projectId)
        .where('state', 'in', open),
    )
    .execute();
  return new Set(rows.map(({ name }) => name));
}
