import { type CallerInProject, callerInProject } from '../../access/caller-in-project.ts';
import { jobCaller } from '../../access/job-caller.ts';
import { findProject } from '../../access/lookup.ts';
import type { FailureReason } from '../../ci/failure-reasons.ts';
import type { JobOptions, Trigger } from '../../ci/pipeline-config.ts';
import { expandText } from '../../ci/variables/expand.ts';
import { variableValues } from '../../ci/variables/variable.ts';
import { parseJson } from '../../db/columns.ts';
import type { CiJob } from '../../db/tables/ci-jobs.table.ts';
import type { Pipeline } from '../../db/tables/pipelines.table.ts';
import type { Deps } from '../../deps.ts';
import { repositoryOf } from '../../repositories/change-refs.ts';
import { perMinute } from '../../settings/throttles.ts';
import { including } from '../creation/config-content.ts';
import { createPipeline } from '../creation/pipeline-creation.create.ts';
import type { Creation, PipelineRequest } from '../creation/pipeline-creation.request.ts';
import { cancelPipeline } from '../states/cancel.ts';
import { finishJob } from '../states/finish-job.ts';
import { lockJob } from '../states/lock-job.ts';
import { processLocked } from '../states/pipeline-states.process.ts';
import { moveJob } from '../states/transitions.ts';
import { jobVariables } from '../variables/job-variables.ts';
import { factsOf } from '../variables/pipeline-variables.facts.ts';
import { familyRefusal } from './bridge-checks.ts';
import { forwardedVariables, yamlVariablesOf } from './bridge-variables.ts';
import { followDownstream } from './follow-downstream.ts';
import { followUpstream } from './follow-upstream.ts';

/** Rate limit for downstream pipelines. */
const LIMITED = 'downstream_pipeline_trigger';

/** Reason why a bridge starts nothing, with the error of the downstream pipeline. */
interface Refused {
  reason: FailureReason;
  texts?: readonly string[];
}

interface Bridge {
  job: CiJob;
  pipeline: Pipeline;
  options: JobOptions;
}

/** Starts the downstream pipeline of a bridge, or fails the bridge with the reason. Idempotent. */
export async function runBridge(deps: Deps, jobId: number): Promise<void> {
  const bridge = await begin(deps, jobId);
  if (bridge === null) return;
  const { trigger, upstreamProject } = bridge.options;
  if (trigger === null) {
    if (upstreamProject !== null) await followUpstream(deps, bridge.job, upstreamProject);
    else await finishJob(deps, jobId, { status: 'success' });
    return;
  }
  const started = await start(deps, bridge, trigger);
  if ('reason' in started) {
    await fail(deps, jobId, started);
  } else if (trigger.strategy === null) {
    await finishJob(deps, jobId, { status: 'success' });
  } else {
    await followDownstream(deps, { pipeline_id: started.pipeline.id, job_id: jobId, again: false });
  }
  if ('pipeline' in started) await cancelOrphan(deps, jobId, started.pipeline);
}

/** Cancels a child pipeline that was created while its parent was canceled. */
async function cancelOrphan(deps: Deps, jobId: number, { id, parent_id }: Pipeline): Promise<void> {
  if (parent_id === null) return;
  const bridge = await deps.db.selectFrom('ci_jobs').select('status').where('id', '=', jobId).executeTakeFirst();
  if (bridge?.status === 'canceled') await cancelPipeline(deps, id);
}

/** Starts the bridge; null if it must not run any more. */
function begin(deps: Deps, jobId: number): Promise<Bridge | null> {
  return deps.db.transaction().execute(async (db) => {
    const locked = await lockJob(db, jobId);
    if (locked === null) return null;
    const config = await db
      .selectFrom('ci_job_configs')
      .select('options')
      .where('job_id', '=', jobId)
      .executeTakeFirstOrThrow();
    const options = parseJson<JobOptions>(config.options);
    const { job, pipeline } = locked;
    if (job.status === 'running') return { job, pipeline, options };
    const begun = await moveJob(deps, db, 'run', job);
    if (begun === null) return null;
    return { job: begun, pipeline: await processLocked(deps, db, pipeline), options };
  });
}

async function fail(deps: Deps, jobId: number, { reason, texts = [] }: Refused): Promise<void> {
  await finishJob(
    deps,
    jobId,
    { status: 'failed', failureReason: reason },
    {
      transactionHook: async (db) => {
        if (texts.length === 0) return;
        await db
          .updateTable('ci_jobs')
          .set({ description: texts.join('\n') })
          .where('id', '=', jobId)
          .execute();
      },
    },
  );
}

async function start(deps: Deps, bridge: Bridge, trigger: Trigger): Promise<{ pipeline: Pipeline } | Refused> {
  const { job, pipeline } = bridge;
  const caller = await jobCaller(deps, job.user_id);
  if (caller === undefined) return { reason: 'user_blocked' };
  const own = await callerInProject(deps, caller, job.project_id);
  if (own === undefined) return { reason: 'project_deleted' };
  const values = variableValues(await jobVariables(deps, deps.db, job, { token: '', runner: null }));
  const child = trigger.include !== null;
  const target = child ? own : await downstreamProject(deps, own, expandText(trigger.project ?? '', values));
  if (target === null) return { reason: 'downstream_bridge_project_not_found' };
  if (!child && target.project.id === own.project.id) return { reason: 'invalid_bridge_trigger' };
  if (!target.permissions.can('create_pipeline')) return { reason: 'insufficient_bridge_permissions' };
  const refusal = await familyRefusal(deps, pipeline.id, child);
  if (refusal !== null) return { reason: refusal };
  const key = `${own.project.id}:${job.user_id}:${pipeline.sha}`;
  const limit = perMinute(deps.settings.now.downstream_pipeline_trigger_limit_per_project_user_sha);
  if (!deps.limiter.allows(LIMITED, key, limit)) return { reason: 'reached_downstream_pipeline_trigger_rate_limit' };
  const variables = await forwardedVariables(deps, deps.db, job, trigger, await yamlVariablesOf(deps.db, job.id));
  const request: PipelineRequest = {
    ...(child ? await childRequest(deps, bridge, own, trigger) : await otherRequest(deps, target, trigger, values)),
    projectId: target.project.id,
    userId: job.user_id,
    variables,
    inputs: trigger.inputs,
    upstream: { jobId: job.id, pipelineId: pipeline.id, projectId: own.project.id, child },
    origin: `bridge:${job.id}`,
  };
  try {
    return outcome(await createPipeline(deps, request));
  } catch (error) {
    // The same bridge is retried.
    deps.limiter.takeBack(LIMITED, key);
    throw error;
  }
}

function outcome({ pipeline, texts }: Creation): { pipeline: Pipeline } | Refused {
  if (pipeline !== null && texts.length === 0) return { pipeline };
  if (texts.some((text) => /^(You do not have sufficient permission|Insufficient permissions)/.test(text))) {
    return { reason: 'insufficient_bridge_permissions', texts };
  }
  return { reason: 'downstream_pipeline_creation_failed', texts };
}

/** The project with a path; null if it does not exist or is not visible to the user. */
async function downstreamProject(deps: Deps, own: CallerInProject, path: string): Promise<CallerInProject | null> {
  const projectWithNamespace = path.includes('/') ? await findProject(deps, path.replace(/^\/+/, '')) : undefined;
  const scope = projectWithNamespace && (await callerInProject(deps, own.caller, projectWithNamespace.project.id));
  return scope?.permissions.can('read_project') ? scope : null;
}

type Part = Pick<PipelineRequest, 'source' | 'ref' | 'sha' | 'config' | 'mergeRequest' | 'target'>;

/** A child pipeline runs for the same ref and commit as its parent. */
async function childRequest(
  deps: Deps,
  { pipeline }: Bridge,
  { project, namespace }: CallerInProject,
  trigger: Trigger,
): Promise<Part> {
  const { refType, ref, sha, refProtected, mergeRequest } = await factsOf(deps.db, pipeline, project, namespace);
  return {
    source: 'parent_pipeline',
    ref: pipeline.ref,
    sha,
    config: including(pipeline.config_path ?? '.gitlab-ci.yml', ...(trigger.include ?? [])),
    target: { refType, ref, sha, refProtected },
    ...(mergeRequest ? { mergeRequest } : {}),
  };
}

async function otherRequest(
  deps: Deps,
  { project }: CallerInProject,
  { branch }: Trigger,
  values: Parameters<typeof expandText>[1],
): Promise<Part> {
  const named = branch === null ? '' : expandText(branch, values);
  const ref = named === '' ? await repositoryOf(deps, project).refs.head() : named;
  return { source: 'pipeline', ref: ref ?? '' };
}
