import type { Db } from '../../../../db/schema.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.ts';
import type { Pipeline } from '../../../../db/tables/pipelines.ts';

/** States of a pipeline that is not over. */
const ACTIVE: readonly string[] = [
  'created',
  'waiting_for_resource',
  'preparing',
  'waiting_for_callback',
  'pending',
  'running',
  'canceling',
];

/** Whether the pipeline may still change its mind. */
export const isActive = ({ status }: Pick<Pipeline, 'status'>): boolean => ACTIVE.includes(status);

type Headed = Pick<MergeRequest, 'id' | 'source_project_id' | 'source_branch' | 'head_sha'>;

const keyOf = (projectId: number | null, ref: string, sha: string | null) => `${projectId} ${sha} ${ref}`;

/**
 * The newest pipeline of each merge request's head on its source branch, by the id of the merge request; one query for
 * all. A merge request without one is not in the map.
 */
export async function headPipelines(db: Db, mergeRequests: readonly Headed[]): Promise<Map<number, Pipeline>> {
  const headed = mergeRequests.filter(({ source_project_id, head_sha }) => source_project_id !== null && head_sha);
  if (headed.length === 0) return new Map();
  const rows = await db
    .selectFrom('pipelines')
    .selectAll()
    .where('id', 'in', (newest) =>
      newest
        .selectFrom('pipelines')
        .select(({ fn }) => fn.max('id').as('id'))
        .where('project_id', 'in', [...new Set(headed.map(({ source_project_id }) => source_project_id!))])
        .where('sha', 'in', [...new Set(headed.map(({ head_sha }) => head_sha!))])
        .groupBy(['project_id', 'sha', 'ref']),
    )
    .execute();
  const found = new Map(rows.map((row) => [keyOf(row.project_id, row.ref, row.sha), row]));
  return new Map(
    headed.flatMap(({ id, source_project_id, source_branch, head_sha }) => {
      const pipeline = found.get(keyOf(source_project_id, source_branch, head_sha));
      return pipeline === undefined ? [] : [[id, pipeline] as const];
    }),
  );
}
