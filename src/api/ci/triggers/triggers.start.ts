import { jobCaller } from '../../../access/job-caller.ts';
import { callerOfJobToken, JOB_TOKEN_PREFIX } from '../../../access/job-token-caller.ts';
import { findProject, type ProjectWithNamespace } from '../../../access/lookup.ts';
import { projectPermissions } from '../../../access/permissions.ts';
import { timestamp } from '../../../core/clock.ts';
import { invalidModel, invalidParameter, notFound } from '../../../core/core.errors.ts';
import { tokenDigest } from '../../../core/core.secrets.ts';
import type { CiTrigger } from '../../../db/tables/ci-triggers.table.ts';
import type { Pipeline } from '../../../db/tables/pipelines.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { isFamilyFull } from '../../../pipelines/bridges/bridge-checks.ts';
import { createPipeline } from '../../../pipelines/creation/pipeline-creation.create.ts';
import type { PipelineRequest } from '../../../pipelines/creation/pipeline-creation.request.ts';
import { maySetVariables } from '../../../pipelines/pipelines.run-rights.ts';
import { keyErrors } from '../variables/variables.rules.ts';

export interface StartRequest {
  /** Id or full path of the project. */
  project: string;
  ref: string;
  token: string;
  variables?: unknown;
  inputs?: Readonly<Record<string, unknown>>;
  /** All parameters except the token. */
  payload: Readonly<Record<string, unknown>>;
}

type Variables = NonNullable<PipelineRequest['variables']>;

/**
 * Starts a pipeline with a trigger token, as its owner, or with a job token, as the user of the job, if the project
 * accepts that.
 * @throws ApiError 400 with the reason why no pipeline is created, 401 for the token of a finished job, 404
 */
export async function startByToken(
  deps: Deps,
  request: StartRequest,
): Promise<{ pipeline: Pipeline; project: Project }> {
  const variables = readVariables(request.variables);
  const project = await findProject(deps, request.project);
  if (project === undefined) throw notFound();
  const start = { projectId: project.project.id, ref: request.ref, variables, inputs: request.inputs ?? {} };
  const who = request.token.startsWith(JOB_TOKEN_PREFIX)
    ? await asJob(deps, project, request.token)
    : await asTrigger(deps, project, request, variables);
  const { pipeline, texts } = await createPipeline(deps, { ...start, ...who });
  if (pipeline === null) throw invalidModel({ base: [...texts] });
  return { pipeline, project: project.project };
}

function readVariables(input: unknown): Variables {
  if (input === undefined || input === null) return [];
  const isMap = typeof input === 'object' && !Array.isArray(input);
  if (!isMap || Object.values(input).some((value) => typeof value !== 'string')) {
    throw invalidParameter('variables needs to be a map of key-valued strings');
  }
  return Object.entries(input as Record<string, string>).map(([key, value]) => {
    const errors = keyErrors(key);
    if (errors.length > 0) throw invalidModel({ 'variables.key': errors });
    return { key, value, variable_type: 'env_var' as const };
  });
}

/** Starts a pipeline as the user of a job. @throws ApiError 400, 401, 404 */
async function asJob(deps: Deps, { project, namespace }: ProjectWithNamespace, token: string) {
  const caller = await callerOfJobToken(deps, token);
  if (caller?.credential.kind !== 'job_token') throw notFound();
  const permissions = await projectPermissions(deps, caller, project, namespace);
  if (!permissions.can('read_project')) throw notFound();
  if (!permissions.can('create_pipeline')) {
    throw invalidModel({ base: ['Insufficient permissions to create a new pipeline'] });
  }
  const { jobId, projectId } = caller.credential;
  const job = await deps.db.selectFrom('ci_jobs').select('pipeline_id').where('id', '=', jobId).executeTakeFirst();
  if (job === undefined) throw notFound();
  if (await isFamilyFull(deps, job.pipeline_id)) {
    throw invalidModel({ base: ['The downstream pipeline tree is too large'] });
  }
  const upstream = { jobId, pipelineId: job.pipeline_id, projectId, child: false };
  return { source: 'pipeline' as const, userId: caller.user!.id, upstream };
}

/** Starts a pipeline as the owner of a trigger token; its jobs get the payload. @throws ApiError 404 */
async function asTrigger(
  deps: Deps,
  project: ProjectWithNamespace,
  { token, payload }: StartRequest,
  variables: Variables,
) {
  const now = timestamp(deps.clock);
  const trigger = await deps.db
    .selectFrom('ci_triggers')
    .selectAll()
    .where('digest', '=', tokenDigest(token))
    .where('project_id', '=', project.project.id)
    .executeTakeFirst();
  if (trigger === undefined || (trigger.expires_at !== null && trigger.expires_at <= now)) throw notFound();
  await deps.db.updateTable('ci_triggers').set({ last_used_at: now }).where('id', '=', trigger.id).execute();
  const withoutPayload =
    variables.some(({ key }) => key === 'TRIGGER_PAYLOAD') || !(await ownerSets(deps, project, trigger));
  return {
    source: 'trigger' as const,
    userId: trigger.owner_id,
    triggerId: trigger.id,
    variables: withoutPayload
      ? variables
      : [
          ...variables,
          { key: 'TRIGGER_PAYLOAD', value: JSON.stringify(payload), variable_type: 'file' as const, raw: 1 as const },
        ],
  };
}

/** Whether the owner may set pipeline variables; otherwise there is no payload either. */
async function ownerSets(
  deps: Deps,
  { project, namespace }: ProjectWithNamespace,
  { owner_id }: CiTrigger,
): Promise<boolean> {
  const caller = await jobCaller(deps, owner_id);
  if (caller === undefined) return false;
  const permissions = await projectPermissions(deps, caller, project, namespace);
  return maySetVariables({ caller, project, namespace, permissions });
}
