import { callerInProject } from '../../access/caller-in-project.ts';
import { jobCaller } from '../../access/job-caller.ts';
import { findProject } from '../../access/lookup.ts';
import { DANGLING_SOURCES } from '../../ci/pipeline-sources.ts';
import { COMPLETE, isOneOf, type State } from '../../ci/states.ts';
import type { CiJob } from '../../db/tables/ci-jobs.table.ts';
import type { Deps } from '../../deps.ts';
import { repositoryOf } from '../../repositories/change-refs.ts';
import { finishJob } from '../states/finish-job.ts';
import { lockJob } from '../states/lock-job.ts';
import { lockPipeline } from '../states/pipeline-status.ts';
import { mirrorDownstreamStatus } from './follow-downstream.ts';

/**
 * Updates a bridge with `needs:pipeline` to the status of the latest pipeline on the default branch of another project,
 * as of its start. If that pipeline is not finished, the bridge is updated again when it finishes or is deleted.
 */
export async function followUpstream(deps: Deps, job: CiJob, fullPath: string): Promise<void> {
  const upstream = await upstreamOf(deps, job, fullPath);
  if ('reason' in upstream) {
    await finishJob(deps, job.id, { status: 'failed', failureReason: upstream.reason });
    return;
  }
  const status = upstream.pipelineId === null ? 'success' : await stateOf(deps, upstream.pipelineId);
  if (!isOneOf(COMPLETE, status)) return;
  await deps.db.transaction().execute(async (db) => {
    const locked = await lockJob(db, job.id);
    if (locked?.job.status === 'running') await mirrorDownstreamStatus(deps, db, locked, 'mirror', status, false);
  });
}

type Refused = { reason: 'upstream_bridge_project_not_found' | 'insufficient_upstream_permissions' };

/** The pipeline that the bridge follows from now on; null if there is none to wait for. */
async function upstreamOf(
  deps: Deps,
  { id, user_id, followed_pipeline_id }: CiJob,
  fullPath: string,
): Promise<{ pipelineId: number | null } | Refused> {
  const projectWithNamespace = await findProject(deps, fullPath);
  const caller = await jobCaller(deps, user_id);
  const scope =
    projectWithNamespace && caller && (await callerInProject(deps, caller, projectWithNamespace.project.id));
  if (!scope?.permissions.can('read_project')) return { reason: 'upstream_bridge_project_not_found' };
  const { project, permissions } = scope;
  if (!permissions.can('read_pipeline')) return { reason: 'insufficient_upstream_permissions' };
  if (followed_pipeline_id !== null) return { pipelineId: followed_pipeline_id };
  const branch = await repositoryOf(deps, project).refs.head();
  const latest = await deps.db
    .selectFrom('pipelines')
    .select('id')
    .where('project_id', '=', project.id)
    .where('ref', '=', branch ?? '')
    .where('tag', '=', 0)
    .where('source', 'not in', DANGLING_SOURCES)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (latest === undefined) return { pipelineId: null };
  const row = await deps.db
    .updateTable('ci_jobs')
    .set((eb) => ({ followed_pipeline_id: eb.fn.coalesce('followed_pipeline_id', eb.val(latest.id)) }))
    .where('id', '=', id)
    .returning('followed_pipeline_id')
    .executeTakeFirst();
  return { pipelineId: row?.followed_pipeline_id ?? latest.id };
}

/** State of a pipeline. Later changes notify its followers; a deleted pipeline never ends. */
function stateOf(deps: Deps, pipelineId: number): Promise<State> {
  return deps.db.transaction().execute(async (db) => (await lockPipeline(db, pipelineId))?.status ?? 'canceled');
}
