import type { Selectable } from 'kysely';
import type { EnvironmentConfig, JobOptions } from '../../ci/pipeline-config.ts';
import { inEnvironment } from '../../ci/variables/environment-scope.ts';
import { ExpansionError, expandText, expandVariables } from '../../ci/variables/expand.ts';
import { type Variable, variableValues } from '../../ci/variables/variable.ts';
import { parseJson } from '../../db/columns.ts';
import type { Db } from '../../db/db.schema.ts';
import type { CiJobVariablesTable } from '../../db/tables/ci-job-variables.table.ts';
import type { CiJob } from '../../db/tables/ci-jobs.table.ts';
import type { CiRunner } from '../../db/tables/ci-runners.table.ts';
import type { Namespace } from '../../db/tables/namespaces.table.ts';
import type { Pipeline } from '../../db/tables/pipelines.table.ts';
import type { Project } from '../../db/tables/projects.table.ts';
import type { Deps } from '../../deps.ts';
import { integrationVariables } from '../../integrations/integrations.ci-variables.ts';
import { dependenciesOf } from '../runners/job-dependencies.ts';
import { openedVariable } from './at-rest.ts';
import { environmentVariables } from './environment-variables.ts';
import { idTokens } from './id-tokens.ts';
import { predefinedJobVariables, releaseVariables, runningJobVariables, userVariables } from './job-facts.ts';
import { factsOf } from './pipeline-variables.facts.ts';
import { storedVariables } from './pipeline-variables.stored.ts';
import { predefinedVariables } from './pipeline-variables.ts';
import { secretVariable } from './values.ts';

export interface JobVariablesOptions {
  /** Token of the job in plain text. */
  token: string;
  runner: Pick<CiRunner, 'id' | 'description' | 'tag_list'> | null;
  /** Set if the caller has already read it. */
  pipeline?: Pipeline;
  project?: Project;
  namespace?: Namespace;
}

/**
 * All variables of a starting job except those set by the runner: predefined, configured, stored and passed ones.
 * References are expanded as on the platform; references to missing, file and raw variables are left to the job's
 * shell. Names are unique.
 * @param db the handle of a transaction, if there is one
 */
export async function jobVariables(deps: Deps, db: Db, job: CiJob, options: JobVariablesOptions): Promise<Variable[]> {
  const pipeline =
    options.pipeline ??
    (await db.selectFrom('pipelines').selectAll().where('id', '=', job.pipeline_id).executeTakeFirstOrThrow());
  const project =
    options.project ??
    (await db.selectFrom('projects').selectAll().where('id', '=', job.project_id).executeTakeFirstOrThrow());
  const namespace =
    options.namespace ??
    (await db.selectFrom('namespaces').selectAll().where('id', '=', project.namespace_id).executeTakeFirstOrThrow());
  const config = await configOf(db, job.id);
  const environment = await environmentVariables(db, job, config.environment);
  const stored = await storedVariables(deps, db, project, namespace, { protectedRef: job.protected === 1 });
  const running = runningJobVariables(deps, { ...options, job, project, pipeline });
  const own = new Set(running.map(({ key }) => key));
  const reported = await reportedVariables(deps, db, job, config.options?.dependencies ?? null);
  const input = [
    ...running,
    ...(await predefinedVariables(deps, await factsOf(db, pipeline, project, namespace), db)),
    ...(await predefinedJobVariables(db, job, pipeline)),
    ...(await integrationVariables(deps, db, project.id, job.protected === 1)),
    ...environment.early,
    ...config.variables,
    ...(await userVariables(db, job.user_id)),
    ...(await releaseVariables(db, pipeline)),
    // Variables reported by another job must not override the token, id and URLs of this one.
    ...reported.filter(({ key }) => !own.has(key)),
    ...inEnvironment(stored, job.environment),
    ...(await pipelineVariables(deps, db, pipeline.id)),
    ...(await manualVariables(deps, db, job.id)),
    ...environment.late,
  ];
  const values = variableValues(expandedFor(input));
  const audiences = config.options?.idTokens ?? {};
  if (Object.keys(audiences).length === 0) return [...values.values()];
  const subject = { job, pipeline, project, namespace, environment: config.environment, runner: options.runner };
  const expanded = Object.entries(audiences).map(([name, { aud }]) => [
    name,
    aud.map((text) => expandText(text, values)),
  ]);
  const tokens = await idTokens(deps, db, { ...subject, tier: environment.tier }, Object.fromEntries(expanded));
  return [
    ...variableValues(
      tokens.map(({ key, value }) => secretVariable(key, value)),
      values.values(),
    ).values(),
  ];
}

/** With circular references, all values stay unexpanded. */
function expandedFor(input: readonly Variable[]): readonly Variable[] {
  try {
    return expandVariables(input, { undefinedAs: 'kept', keepFiles: true, keepRaw: true });
  } catch (error) {
    if (error instanceof ExpansionError) return input;
    throw error;
  }
}

interface JobConfigured {
  options: JobOptions | null;
  /** YAML variables, lowest precedence first. */
  variables: Variable[];
  environment: EnvironmentConfig | null;
}

async function configOf(db: Db, jobId: number): Promise<JobConfigured> {
  const row = await db.selectFrom('ci_job_configs').selectAll().where('job_id', '=', jobId).executeTakeFirst();
  if (row === undefined) return { options: null, variables: [], environment: null };
  return {
    options: parseJson<JobOptions>(row.options),
    variables: parseJson<Variable[]>(row.variables).map((variable) => ({ public: true, ...variable })),
    environment: row.environment === null ? null : parseJson<EnvironmentConfig>(row.environment),
  };
}

/** Variables reported by preceding jobs; later jobs take precedence. @param names see `dependenciesOf` */
export async function reportedVariables(
  deps: Deps,
  db: Db,
  job: CiJob,
  names: readonly string[] | null,
): Promise<Variable[]> {
  const order = (await dependenciesOf(db, job, names)).map(({ id }) => id);
  if (order.length === 0) return [];
  const rows = await db
    .selectFrom('ci_job_variables')
    .selectAll()
    .where('job_id', 'in', order)
    .where('source', '=', 'dotenv')
    .orderBy('key')
    .execute();
  return rows
    .sort((a, b) => order.indexOf(a.job_id) - order.indexOf(b.job_id))
    .map(openedOfJob(deps))
    .map(toVariable);
}

/** Variables passed to the pipeline. */
async function pipelineVariables(deps: Deps, db: Db, pipelineId: number): Promise<Variable[]> {
  const rows = await db
    .selectFrom('ci_pipeline_variables')
    .selectAll()
    .where('pipeline_id', '=', pipelineId)
    .orderBy('key')
    .execute();
  return rows
    .map((row) => openedVariable(deps, 'ci_pipeline_variables', row))
    .map((row) => ({ ...toVariable(row), ...(row.variable_type === 'file' ? { file: true } : {}) }));
}

/** Variables passed to a manual job. */
async function manualVariables(deps: Deps, db: Db, jobId: number): Promise<Variable[]> {
  const rows = await db
    .selectFrom('ci_job_variables')
    .selectAll()
    .where('job_id', '=', jobId)
    .where('source', '=', 'manual')
    .orderBy('key')
    .execute();
  return rows.map(openedOfJob(deps)).map(toVariable);
}

const openedOfJob = (deps: Deps) => (row: Selectable<CiJobVariablesTable>) =>
  openedVariable(deps, 'ci_job_variables', row);

const toVariable = ({ key, value, raw }: { key: string; value: string; raw: number }): Variable => ({
  key,
  value,
  public: false,
  ...(raw === 1 ? { raw: true } : {}),
});
