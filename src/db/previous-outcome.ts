import type { Db } from './db.schema.ts';
import type { Pipeline } from './tables/pipelines.table.ts';

/**
 * Status of the previous finished pipeline of the same branch, tag or merge request. Child pipelines are ignored as
 * parts of their parent.
 * @returns undefined if there is none
 */
export async function previousOutcome(
  db: Db,
  { id, project_id, ref, tag }: Pick<Pipeline, 'id' | 'project_id' | 'ref' | 'tag'>,
): Promise<'success' | 'failed' | undefined> {
  const before = await db
    .selectFrom('pipelines')
    .select('status')
    .where('project_id', '=', project_id)
    .where('ref', '=', ref)
    .where('tag', '=', tag)
    .where('parent_id', 'is', null)
    .where('id', '<', id)
    .where('status', 'in', ['success', 'failed'])
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return before?.status as 'success' | 'failed' | undefined;
}
