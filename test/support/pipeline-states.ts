import assert from 'node:assert/strict';
import type { FailureReason } from '../../src/ci/failure-reasons.ts';
import type { CiJob } from '../../src/db/tables/ci-jobs.table.ts';
import type { Pipeline } from '../../src/db/tables/pipelines.table.ts';
import { finishJob, type JobEnd } from '../../src/pipelines/states/finish-job.ts';
import { startJob } from '../../src/pipelines/states/start-job.ts';
import type { TestApp } from './app.ts';

const START = { runner: { id: 1 }, managerId: null, timeout: 3600, timeoutSource: 2 };
let digests = 0;

/** Looks at the pipelines of an app, and does their jobs as a runner would. */
export class Pipelines {
  readonly #app: TestApp;

  constructor(app: TestApp) {
    this.#app = app;
  }

  /** All jobs of a pipeline, replaced ones too. */
  jobs(pipelineId: number): Promise<CiJob[]> {
    const { db } = this.#app.deps;
    return db.selectFrom('ci_jobs').selectAll().where('pipeline_id', '=', pipelineId).orderBy('id').execute();
  }

  get(id: number): Promise<Pipeline> {
    return this.#app.deps.db.selectFrom('pipelines').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  }

  /** The latest job of a name. */
  async job(pipelineId: number, name: string): Promise<CiJob> {
    const match = (await this.jobs(pipelineId)).findLast((job) => job.name === name);
    assert.ok(match !== undefined, `there is a job ${name}`);
    return match;
  }

  /** The state of a pipeline, and those of its jobs that were not replaced: `running: a success, b pending`. */
  async states(pipelineId: number): Promise<string> {
    const jobs = (await this.jobs(pipelineId)).filter(({ retried }) => retried === 0);
    return `${(await this.get(pipelineId)).status}: ${jobs.map(({ name, status }) => `${name} ${status}`).join(', ')}`;
  }

  /** Has a runner take a pending job. */
  async start(pipelineId: number, name: string, managerId: number | null = null): Promise<CiJob> {
    return this.startRow(await this.job(pipelineId, name), managerId);
  }

  /** The same for a job as it was found. */
  async startRow(job: CiJob, managerId: number | null = null): Promise<CiJob> {
    const { deps } = this.#app;
    digests += 1;
    const start = { ...START, managerId, tokenDigest: `digest ${digests}` };
    const started = await deps.db.transaction().execute((db) => startJob(deps, db, job, start));
    assert.ok(started !== null, `${job.name} can be started`);
    return started;
  }

  /** Has a runner take a pending job and bring it to its end. */
  async run(pipelineId: number, name: string, failureReason: FailureReason | null = null, exitCode?: number) {
    const { id } = await this.start(pipelineId, name);
    const end: JobEnd = failureReason === null ? { status: 'success' } : { status: 'failed', failureReason };
    const ended = await finishJob(this.#app.deps, id, { ...end, ...(exitCode === undefined ? {} : { exitCode }) });
    assert.ok(ended !== null, `${name} can be ended`);
  }
}
