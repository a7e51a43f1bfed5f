import { projectPermissions } from '../../../access/permissions.ts';
import { FAILURE_REASONS } from '../../../ci/failure-reasons.ts';
import { AccessLevel } from '../../../core/access-levels.ts';
import { parseJson } from '../../../db/columns.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { CiJob } from '../../../db/tables/ci-jobs.table.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { keepPipelineRef } from '../../../pipelines/creation/pipeline-ref.ts';
import { inputsOf } from '../../../pipelines/runners/job-inputs.ts';
import { jobVariables } from '../../../pipelines/variables/job-variables.ts';
import { runningOnServersRunners } from './candidates.ts';
import { dependenciesFor } from './dependencies.ts';
import { gitInfoOf } from './git-info.ts';
import type { StartedJob } from './job-context.ts';
import { artifactsOf, imageOf, serviceOf, stepsOf, variableOf } from './payload-parts.ts';
import { cachesOf } from './runner-protocol.cache.ts';

/** Prefixes of tokens that are masked in logs. */
const TOKEN_PREFIXES = [
  'glpat-',
  'gldt-',
  'glrt-',
  'glrtr-',
  'glcbt-',
  'glptt-',
  'gloas-',
  'glft-',
  'glimt-',
  'glagent-',
  'glsoat-',
  'glffct-',
];

/**
 * Builds the payload for the runner of a job.
 * @param shell shell that the runner reports
 * @throws errors of reading the repository
 */
export async function payloadOf(deps: Deps, started: StartedJob, shell?: string) {
  const { db } = deps;
  const { job, pipeline, project, options, runner, token } = started;
  const namespace = await db
    .selectFrom('namespaces')
    .selectAll()
    .where('id', '=', project.namespace_id)
    .executeTakeFirstOrThrow();
  const hasPipelineRef = await keepPipelineRef(deps, project, pipeline);
  const variables = await jobVariables(deps, db, job, { token, runner, pipeline, project, namespace });
  const { build_git_strategy = 'fetch', ci_separated_caches = true } = parseJson<{
    build_git_strategy?: string;
    ci_separated_caches?: boolean;
  }>(project.settings);
  const trusted = job.protected === 1 || (await isMaintainer(deps, job, project, namespace));
  const timeout = job.timeout!;
  const { image, services, hooks, run, secrets } = options;
  return {
    id: job.id,
    token,
    allow_git_fetch: build_git_strategy === 'fetch',
    job_info: await jobInfoOf(db, started, namespace),
    git_info: gitInfoOf(deps, started, { token, variables, hasPipelineRef }),
    runner_info: { timeout, runner_session_url: null },
    inputs: inputsOf(options),
    variables: variables.map(variableOf),
    ...(run === null ? { steps: stepsOf(options, timeout, shell) } : { run: JSON.stringify(run) }),
    hooks:
      hooks.preGetSourcesScript.length === 0
        ? []
        : [{ name: 'pre_get_sources_script', script: hooks.preGetSourcesScript }],
    image: image === null ? null : imageOf(image),
    services: services.map(serviceOf),
    artifacts: artifactsOf(options),
    cache: await cachesOf(deps, { job, project }, options.cache, { separated: ci_separated_caches, trusted }),
    credentials: [],
    features: { trace_sections: true, token_mask_prefixes: TOKEN_PREFIXES, failure_reasons: [...FAILURE_REASONS] },
    dependencies: await dependenciesFor(deps, started, variables),
    ...(secrets === null ? {} : { secrets }),
  };
}

async function jobInfoOf(db: Db, { job, project, runner, queue }: StartedJob, namespace: Namespace) {
  const waited = Date.parse(job.started_at!) - Date.parse(job.queued_at ?? job.started_at!);
  const instance = await db
    .selectFrom('instance_values')
    .select('value')
    .where('key', '=', 'instance_id')
    .executeTakeFirst();
  const ofServer = runner.runner_type === 'instance_type';
  const running = ofServer ? ((await runningOnServersRunners(db)).get(project.id) ?? 0) : null;
  const rootId = Number(namespace.lineage.split('/').find((part) => part !== ''));
  const uuid = instance === undefined ? null : parseJson<string>(instance.value);
  return {
    id: job.id,
    name: job.name,
    stage: job.stage,
    project_id: project.id,
    project_name: project.path,
    project_full_path: project.full_path,
    pipeline_id: job.pipeline_id,
    namespace_id: namespace.id,
    root_namespace_id: rootId,
    organization_id: 1,
    instance_id: uuid,
    instance_uuid: uuid,
    user_id: job.user_id,
    scoped_user_id: null,
    time_in_queue_seconds: Math.max(0, Math.round(waited / 1_000)),
    project_jobs_running_on_instance_runners_count: running === null ? '+Inf' : String(running),
    queue_size: queue.size,
    queue_depth: queue.depth,
  };
}

/** Whether the user of a job may use caches of protected refs. */
async function isMaintainer(deps: Deps, job: CiJob, project: Project, namespace: Namespace): Promise<boolean> {
  const user = await deps.db.selectFrom('users').selectAll().where('id', '=', job.user_id).executeTakeFirst();
  if (user === undefined) return false;
  const caller = { user, admin: user.admin === 1, scopes: null, credential: { kind: 'none' }, sudoBy: null } as const;
  const { level } = await projectPermissions(deps, caller, project, namespace);
  return level >= AccessLevel.maintainer;
}
