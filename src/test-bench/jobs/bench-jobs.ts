import { startWithoutRunner } from '../../api/ci/index.ts';
import { ApiError, notFound } from '../../core/core.errors.ts';
import { randomText } from '../../core/core.secrets.ts';
import { matchesWildcard } from '../../core/wildcard.ts';
import { parseJson } from '../../db/columns.ts';
import type { Db } from '../../db/db.schema.ts';
import type { Deps } from '../../deps.ts';
import { jobKind } from '../../jobs/jobs.kinds.ts';
import { endJobByHand, endStartedJob } from './end-job.ts';
import { type JobOutcome, type JobRule, type JobRules, readJobRules } from './job-outcome.ts';

/** Job kinds: a job waits that a rule may be for; its time is over. */
const BEGIN = jobKind<{ job_id: number }>('test-bench.begin-job', { lane: 'ci' });
const END = jobKind<{ job_id: number; outcome: JobOutcome }>('test-bench.end-job', { lane: 'ci' });

const ALL_SUCCEED: readonly JobRule[] = [{ name: '*' }];

async function rulesIn(db: Db, projectId: number): Promise<JobRules | undefined> {
  const row = await db
    .selectFrom('bench_job_rules')
    .select('rules')
    .where('project_id', '=', projectId)
    .executeTakeFirst();
  return row && parseJson<JobRules>(row.rules);
}

/** Ends CI jobs without a runner: by hand, or by rules of their projects. A script is never run. */
export class BenchJobs {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
    deps.jobs.register(BEGIN, ({ job_id }) => this.#begin(job_id));
    deps.jobs.register(END, ({ job_id, outcome }) => this.#end(job_id, outcome));
    deps.events.subscribe({
      name: 'test-bench.jobs',
      types: ['job.updated'],
      lane: 'ci',
      wants: async ({ payload: { status, project_id } }, db) =>
        status === 'pending' && (await rulesIn(db, project_id)) !== undefined,
      handle: ({ payload: { job_id } }) => this.#begin(job_id),
    });
  }

  /**
   * Ends a pending or running job as a runner would.
   * @throws ApiError 400, 404, 409 in other states, 413
   */
  end(jobId: number, outcome: JobOutcome): Promise<void> {
    return endJobByHand(this.#deps, jobId, outcome);
  }

  /** The rules of a project; none without any. */
  async rules(projectId: number): Promise<JobRules> {
    return (await rulesIn(this.#deps.db, projectId)) ?? [];
  }

  /**
   * Has the jobs of a project end by themselves, also those that wait already.
   * @param sent `auto`, or rules as the API takes them; an empty list ends that
   * @returns the rules
   * @throws ApiError 400; 404 for an unknown project
   */
  setRules(projectId: number, sent: unknown): Promise<JobRules> {
    const rules = readJobRules(sent);
    const { db, jobs } = this.#deps;
    return db.transaction().execute(async (db) => {
      const project = await db.selectFrom('projects').select('id').where('id', '=', projectId).executeTakeFirst();
      if (project === undefined) throw notFound('Project');
      await db.deleteFrom('bench_job_rules').where('project_id', '=', projectId).execute();
      if (rules.length === 0) return rules;
      await db
        .insertInto('bench_job_rules')
        .values({ project_id: projectId, rules: JSON.stringify(rules) })
        .execute();
      const waiting = await db
        .selectFrom('ci_jobs')
        .select('id')
        .where('project_id', '=', projectId)
        .where('kind', '=', 'build')
        .where('status', '=', 'pending')
        .execute();
      await jobs.enqueueAll(
        db,
        waiting.map(({ id }) => ({ kind: BEGIN, payload: { job_id: id }, projectId })),
      );
      return rules;
    });
  }

  /** Starts a waiting job that a rule is for, and ends it, at once or later. */
  async #begin(jobId: number): Promise<void> {
    const { db, clock, jobs } = this.#deps;
    const job = await db
      .selectFrom('ci_jobs')
      .select(['name', 'project_id', 'status'])
      .where('id', '=', jobId)
      .where('kind', '=', 'build')
      .executeTakeFirst();
    if (job?.status !== 'pending') return;
    const rules = await this.rules(job.project_id);
    const rule = (rules === 'auto' ? ALL_SUCCEED : rules).find(({ name }) => matchesWildcard(name, job.name));
    if (rule === undefined) return;
    const started = await startWithoutRunner(this.#deps, jobId);
    if (started === undefined) return;
    const { name: _, after = 0, status = 'success', ...rest } = rule;
    const outcome = { status, ...rest };
    const runAt = new Date(clock.now().getTime() + after * 1_000);
    await jobs.enqueue(db, END, { job_id: jobId, outcome }, { runAt, projectId: job.project_id });
  }

  async #end(jobId: number, outcome: JobOutcome): Promise<void> {
    const { db, log } = this.#deps;
    const job = await db.selectFrom('ci_jobs').selectAll().where('id', '=', jobId).executeTakeFirst();
    // Somebody may have ended it, or a runner have it now.
    if (job?.status !== 'running' || job.runner_id !== null) return;
    try {
      await endStartedJob(this.#deps, job, randomText(20), outcome);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      log.log('warn', 'a job could not end as its rule says', { job_id: jobId, reason: error.message });
      await endStartedJob(this.#deps, job, randomText(20), { status: 'failed', log: `${error.message}\n` });
    }
  }
}
