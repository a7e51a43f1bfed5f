import { timestamp } from '../../core/clock.ts';
import type { Db } from '../../db/db.schema.ts';
import type { CiJob } from '../../db/tables/ci-jobs.table.ts';
import type { Deps } from '../../deps.ts';
import { insertDeployments } from '../environments/pipeline-environments.deployments.ts';

/** Number of jobs inserted by one statement: the limit of bound values in SQLite, divided by the columns. */
const BATCH_SIZE = 800;

/**
 * Clones jobs for a retry and marks the originals as retried: same name and configuration, initial state.
 * @param db the handle of a transaction that has locked their pipeline
 * @param jobs latest attempts of one pipeline
 * @param userId user of the new jobs; null: unchanged
 */
export async function cloneJobs(
  deps: Deps,
  db: Db,
  jobs: readonly CiJob[],
  userId: number | null = null,
): Promise<CiJob[]> {
  const made: CiJob[] = [];
  for (let at = 0; at < jobs.length; at += BATCH_SIZE) {
    made.push(...(await cloneSome(deps, db, jobs.slice(at, at + BATCH_SIZE), userId)));
  }
  return made;
}

async function cloneSome(deps: Deps, db: Db, jobs: readonly CiJob[], userId: number | null): Promise<CiJob[]> {
  const now = timestamp(deps.clock);
  const old = jobs.map(({ id }) => id);
  await db.updateTable('ci_jobs').set({ retried: 1, updated_at: now }).where('id', 'in', old).execute();
  const strict = await strictOnes(db, jobs);
  const rows = await db
    .insertInto('ci_jobs')
    .values(jobs.map((job) => newRow(job, userId ?? job.user_id, now, strict)))
    .returningAll()
    .execute();
  const made = rows.sort((a, b) => a.id - b.id);
  await copyBelongings(db, old, made);
  await newDeployments(deps, db, old, made);
  const payloads = made.map(({ id, pipeline_id, project_id, status }) => ({
    job_id: id,
    pipeline_id,
    project_id,
    status,
    old_status: null,
  }));
  await deps.events.recordAll(db, 'job.updated', payloads, { projectId: made[0]!.project_id, actorId: userId });
  return made;
}

function newRow(job: CiJob, user_id: number, now: string, strict: ReadonlySet<number>) {
  const { project_id, pipeline_id, sha, ref, tag, name, stage, stage_index, run_when, scheduling, kind } = job;
  return {
    ...{ project_id, pipeline_id, sha, ref, tag, name, stage, stage_index, run_when, scheduling, kind, user_id },
    protected: job.protected,
    status: 'created' as const,
    description: job.description,
    coverage_regex: job.coverage_regex,
    allow_failure: strict.has(job.id) ? (0 as const) : job.allow_failure,
    created_at: now,
    updated_at: now,
    start_in: job.start_in,
    tag_list: job.tag_list,
    interruptible: job.interruptible,
    environment: job.environment,
    resource_group_id: job.resource_group_id,
  };
}

/** Jobs whose failure was allowed only because of their exit code. */
async function strictOnes(db: Db, jobs: readonly CiJob[]): Promise<Set<number>> {
  const allowed = jobs.filter(({ allow_failure, exit_code }) => allow_failure === 1 && exit_code !== null);
  if (allowed.length === 0) return new Set();
  const ids = allowed.map(({ id }) => id);
  const configs = await db
    .selectFrom('ci_job_configs')
    .select(['job_id', 'options'])
    .where('job_id', 'in', ids)
    .execute();
  return new Set(
    configs.filter(({ options }) => JSON.parse(options).allowFailureExitCodes != null).map(({ job_id }) => job_id),
  );
}

/** Copies configuration, needs and manual variables to the new jobs with the same names. */
async function copyBelongings(db: Db, old: readonly number[], made: readonly CiJob[]): Promise<void> {
  const ids = made.map(({ id }) => id);
  const pairs = db
    .selectFrom('ci_jobs as made')
    .innerJoin('ci_jobs as old', (join) =>
      join
        .onRef('old.pipeline_id', '=', 'made.pipeline_id')
        .onRef('old.name', '=', 'made.name')
        .on('old.id', 'in', old),
    )
    .where('made.id', 'in', ids);
  await db
    .insertInto('ci_job_configs')
    .columns(['job_id', 'options', 'variables', 'environment'])
    .expression(
      pairs
        .innerJoin('ci_job_configs as from', 'from.job_id', 'old.id')
        .select(['made.id', 'from.options', 'from.variables', 'from.environment']),
    )
    .execute();
  await db
    .insertInto('ci_job_needs')
    .columns(['job_id', 'name', 'artifacts', 'optional'])
    .expression(
      pairs
        .innerJoin('ci_job_needs as from', 'from.job_id', 'old.id')
        .select(['made.id', 'from.name', 'from.artifacts', 'from.optional']),
    )
    .execute();
  await db
    .insertInto('ci_job_variables')
    .columns(['job_id', 'key', 'value', 'source', 'raw'])
    .expression(
      pairs
        .innerJoin('ci_job_variables as from', 'from.job_id', 'old.id')
        .where('from.source', '=', 'manual')
        .select(['made.id', 'from.key', 'from.value', 'from.source', 'from.raw']),
    )
    .execute();
}

/** Inserts deployments for the new jobs of deploying jobs. */
async function newDeployments(deps: Deps, db: Db, old: readonly number[], made: readonly CiJob[]): Promise<void> {
  const deploying = made.filter(({ environment }) => environment !== null);
  if (deploying.length === 0) return;
  const rows = await db
    .selectFrom('deployments')
    .innerJoin('ci_jobs', 'ci_jobs.id', 'deployments.job_id')
    .selectAll('deployments')
    .select('ci_jobs.name')
    .where('deployments.job_id', 'in', old)
    .execute();
  const byName = new Map(deploying.map((job) => [job.name, job]));
  await insertDeployments(
    deps,
    db,
    rows.flatMap(({ name, environment_id, on_stop }) => {
      const job = byName.get(name);
      return job === undefined ? [] : [{ job, environment_id, on_stop }];
    }),
  );
}
