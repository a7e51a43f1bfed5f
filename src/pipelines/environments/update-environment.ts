import { parseDuration } from '../../ci/ci.durations.ts';
import type { EnvironmentConfig } from '../../ci/pipeline-config.ts';
import { expandText } from '../../ci/variables/expand.ts';
import { variableValues } from '../../ci/variables/variable.ts';
import { timestamp } from '../../core/clock.ts';
import { parseJson } from '../../db/columns.ts';
import type { CiJob } from '../../db/tables/ci-jobs.table.ts';
import type { Deps } from '../../deps.ts';
import { openedVariable } from '../variables/at-rest.ts';
import { jobVariables } from '../variables/job-variables.ts';

const MAX_URL = 255;

/** Updates an environment after a job has succeeded: its URL, its time limit, or that it is stopped. */
export async function updateEnvironment(deps: Deps, jobId: number): Promise<void> {
  const job = await deps.db.selectFrom('ci_jobs').selectAll().where('id', '=', jobId).executeTakeFirst();
  const config = await deps.db
    .selectFrom('ci_job_configs')
    .select('environment')
    .where('job_id', '=', jobId)
    .executeTakeFirst();
  if (job?.status !== 'success' || job.environment === null || config?.environment == null) return;
  const environmentConfig = parseJson<EnvironmentConfig>(config.environment);
  const values = environmentConfig.action === 'stop' ? STOPPED : await valuesOf(deps, job, environmentConfig);
  if (values === null) return;
  await deps.db
    .updateTable('environments')
    .set({ ...values, updated_at: timestamp(deps.clock) })
    .where('project_id', '=', job.project_id)
    .where('name', '=', job.environment)
    .execute();
}

const STOPPED = { state: 'stopped', auto_stop_at: null } as const;

async function valuesOf(deps: Deps, job: CiJob, { action, url, autoStopIn }: EnvironmentConfig) {
  if (action === 'verify') return null;
  const seconds = autoStopIn === null ? null : parseDuration(autoStopIn);
  const end = seconds === null ? null : Date.parse(job.finished_at ?? job.updated_at) + seconds * 1000;
  const auto_stop_at = end === null || !Number.isFinite(new Date(end).getTime()) ? null : new Date(end).toISOString();
  if (action !== 'start') return auto_stop_at === null ? null : { auto_stop_at };
  const external_url = url === null ? null : await addressOf(deps, job, url);
  return { state: 'available' as const, auto_stop_at, ...(external_url === null ? {} : { external_url }) };
}

/** URL expanded with all variables of the job, including reported ones; null if it is invalid. */
async function addressOf(deps: Deps, job: CiJob, url: string): Promise<string | null> {
  const reported = await deps.db
    .selectFrom('ci_job_variables')
    .select(['key', 'value'])
    .where('job_id', '=', job.id)
    .where('source', '=', 'dotenv')
    .execute();
  const known = await jobVariables(deps, deps.db, job, { token: '', runner: null });
  const text = expandText(
    url,
    variableValues(
      known,
      reported.map((row) => openedVariable(deps, 'ci_job_variables', row)),
    ),
  );
  const parsed = URL.parse(text);
  return text.length <= MAX_URL && (parsed?.protocol === 'https:' || parsed?.protocol === 'http:') ? text : null;
}
