import { type RawBuilder, sql } from 'kysely';
import { DANGLING_SOURCES } from '../../../../ci/pipeline-sources.ts';
import type { Db } from '../../../../db/db.schema.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { Pipeline } from '../../../../db/tables/pipelines.table.ts';

/** Statuses of unfinished pipelines. */
const ACTIVE: readonly string[] = [
  'created',
  'waiting_for_resource',
  'preparing',
  'waiting_for_callback',
  'pending',
  'running',
  'canceling',
];

/** Whether the pipeline is unfinished. */
export const isActive = ({ status }: Pick<Pipeline, 'status'>): boolean => ACTIVE.includes(status);

type Headed = Pick<MergeRequest, 'id' | 'source_project_id' | 'source_branch' | 'head_sha'>;

const keyOf = (projectId: number | null, ref: string, sha: string | null) => `${projectId} ${sha} ${ref}`;

/** Ids of the newest pipelines of source branches, by project, commit and ref. */
const ofBranches = (headed: readonly Headed[]): RawBuilder<{ id: number }> => sql`
  select max(id) as id from pipelines
  where project_id in (${sql.join(unique(headed.map(({ source_project_id }) => source_project_id ?? 0)))})
    and sha in (${sql.join(unique(headed.map(({ head_sha }) => head_sha!)))})
    and source not in (${sql.join(DANGLING_SOURCES)}) and merge_request_id is null
  group by project_id, sha, ref`;

/** Ids of the newest merge request pipelines, by merge request and its commit. */
const ofMergeRequests = (headed: readonly Headed[]): RawBuilder<{ id: number }> => sql`
  select max(id) from pipelines
  where merge_request_id in (${sql.join(headed.map(({ id }) => id))})
    and coalesce(source_sha, sha) in (${sql.join(unique(headed.map(({ head_sha }) => head_sha!)))})
    and source not in (${sql.join(DANGLING_SOURCES)})
  group by merge_request_id, coalesce(source_sha, sha)`;

const unique = <T>(values: readonly T[]): T[] => [...new Set(values)];

/**
 * Head pipelines by merge request id, in one query: the newest merge request pipeline, else the newest one of the
 * source branch. Merge requests without a pipeline are not in the map.
 */
export async function headPipelines(db: Db, mergeRequests: readonly Headed[]): Promise<Map<number, Pipeline>> {
  const headed = mergeRequests.filter(({ head_sha }) => head_sha);
  if (headed.length === 0) return new Map();
  const rows = await db
    .selectFrom('pipelines')
    .selectAll()
    .where(() => sql<boolean>`id in (${ofBranches(headed)} union all ${ofMergeRequests(headed)})`)
    .execute();
  const branches = new Map<string, Pipeline>();
  const own = new Map<string, Pipeline>();
  for (const row of rows) {
    if (row.merge_request_id === null) branches.set(keyOf(row.project_id, row.ref, row.sha), row);
    else own.set(`${row.merge_request_id} ${row.source_sha ?? row.sha}`, row);
  }
  return new Map(
    headed.flatMap(({ id, source_project_id, source_branch, head_sha }) => {
      const pipeline = own.get(`${id} ${head_sha}`) ?? branches.get(keyOf(source_project_id, source_branch, head_sha));
      return pipeline === undefined ? [] : [[id, pipeline] as const];
    }),
  );
}

/** Maximum number of merge requests of a branch that a pipeline can affect. */
const MAX_MOVED = 100;

/** The open merge requests whose head pipeline is the given one. */
export async function headedBy(db: Db, pipelineId: number): Promise<MergeRequest[]> {
  const pipeline = await db
    .selectFrom('pipelines')
    .select(['project_id', 'merge_request_id', 'ref', 'sha', 'source_sha'])
    .where('id', '=', pipelineId)
    .where('source', 'not in', DANGLING_SOURCES)
    .executeTakeFirst();
  if (pipeline === undefined) return [];
  const { project_id, merge_request_id, ref, sha, source_sha } = pipeline;
  const open = db
    .selectFrom('merge_requests')
    .selectAll()
    .where('state', '=', 'opened')
    .where('head_sha', '=', source_sha ?? sha);
  return (
    merge_request_id === null
      ? open.where('source_project_id', '=', project_id).where('source_branch', '=', ref)
      : open.where('id', '=', merge_request_id)
  )
    .orderBy('id')
    .limit(MAX_MOVED)
    .execute();
}
