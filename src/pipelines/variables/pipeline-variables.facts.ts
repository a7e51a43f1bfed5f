import type { Db } from '../../db/db.schema.ts';
import type { MergeRequest } from '../../db/tables/merge-requests.table.ts';
import type { Namespace } from '../../db/tables/namespaces.table.ts';
import type { Pipeline } from '../../db/tables/pipelines.table.ts';
import type { Project } from '../../db/tables/projects.table.ts';

/** Facts about a pipeline before its creation. */
export interface PipelineFacts {
  project: Project;
  /** Namespace of the project. */
  namespace: Namespace;
  /** `push`, `merge_request_event`, ... */
  source: string;
  refType: 'branch' | 'tag' | 'merge_request';
  /** Short name of the branch or tag; for a merge request its source branch. */
  ref: string;
  sha: string;
  /** Previous target of the ref before a push; null for none. */
  beforeSha: string | null;
  refProtected: boolean;
  /** Creation time. */
  createdAt: string;
  iid?: number | undefined;
  name?: string | null | undefined;
  /** Description of the schedule that starts it. */
  scheduleDescription?: string | null | undefined;
  /** Merge request of the pipeline. */
  mergeRequest?: MergeRequestFacts | null | undefined;
  /** Bridge that starts it. */
  upstream?: { pipelineId: number; projectId: number; jobId: number } | null | undefined;
}

export interface MergeRequestFacts {
  row: MergeRequest;
  /** `merged_result`: for the result of a merge. */
  eventType: 'detached' | 'merged_result';
  /** Heads of both branches for a merged result; else null. */
  sourceSha: string | null;
  targetSha: string | null;
}

/** Facts about an existing pipeline. */
export async function factsOf(
  db: Db,
  pipeline: Pipeline,
  project: Project,
  namespace: Namespace,
): Promise<PipelineFacts> {
  const mergeRequest = await mergeRequestOf(db, pipeline);
  const { source, sha, name, iid, upstream_pipeline_id, upstream_job_id } = pipeline;
  return {
    project,
    namespace,
    source,
    refType: mergeRequest === null ? (pipeline.tag === 1 ? 'tag' : 'branch') : 'merge_request',
    ref: mergeRequest?.row.source_branch ?? pipeline.ref,
    sha,
    beforeSha: pipeline.before_sha,
    refProtected: pipeline.protected === 1,
    createdAt: pipeline.created_at,
    iid,
    name,
    scheduleDescription: await scheduleDescription(db, pipeline.schedule_id),
    mergeRequest,
    upstream:
      upstream_job_id === null || upstream_pipeline_id === null
        ? null
        : await upstreamOf(db, upstream_pipeline_id, upstream_job_id),
  };
}

async function mergeRequestOf(db: Db, pipeline: Pipeline): Promise<MergeRequestFacts | null> {
  if (pipeline.merge_request_id === null) return null;
  const row = await db
    .selectFrom('merge_requests')
    .selectAll()
    .where('id', '=', pipeline.merge_request_id)
    .executeTakeFirst();
  if (row === undefined) return null;
  const eventType = pipeline.target_sha === null ? 'detached' : 'merged_result';
  return { row, eventType, sourceSha: pipeline.source_sha, targetSha: pipeline.target_sha };
}

async function scheduleDescription(db: Db, id: number | null): Promise<string | null> {
  if (id === null) return null;
  const schedule = await db
    .selectFrom('ci_pipeline_schedules')
    .select('description')
    .where('id', '=', id)
    .executeTakeFirst();
  return schedule?.description ?? null;
}

async function upstreamOf(db: Db, pipelineId: number, jobId: number): Promise<PipelineFacts['upstream']> {
  const upstream = await db
    .selectFrom('pipelines')
    .select('project_id')
    .where('id', '=', pipelineId)
    .executeTakeFirst();
  return upstream === undefined ? null : { pipelineId, projectId: upstream.project_id, jobId };
}
