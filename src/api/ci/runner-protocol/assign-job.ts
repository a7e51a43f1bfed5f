import { JOB_TOKEN_PREFIX } from '../../../access/job-token-caller.ts';
import type { JobOptions } from '../../../ci/pipeline-config.ts';
import { conflict } from '../../../core/core.errors.ts';
import { randomText, tokenDigest } from '../../../core/core.secrets.ts';
import { parseJson } from '../../../db/columns.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { CiJob } from '../../../db/tables/ci-jobs.table.ts';
import type { CiRunner } from '../../../db/tables/ci-runners.table.ts';
import type { Deps } from '../../../deps.ts';
import { dependenciesOf } from '../../../pipelines/runners/job-dependencies.ts';
import { wakeRunners } from '../../../pipelines/runners/pending-jobs.ts';
import { finishJob } from '../../../pipelines/states/finish-job.ts';
import { startJob } from '../../../pipelines/states/start-job.ts';
import { type Candidate, candidatesFor, canRunFor, MAX_CANDIDATES } from './candidates.ts';
import type { JobContext, StartedJob } from './job-context.ts';
import { mismatchReason } from './job-requirements.ts';

/** A request for a job. */
export interface RunnerRequest {
  runner: CiRunner;
  managerId: number | null;
  /** Features of the machine, as in the request. */
  features: Readonly<Record<string, boolean>>;
}

const DEFAULT_TIMEOUT = 3_600;
/** Sources of a time limit, as stored with jobs. */
const FROM = { project: 2, runner: 3, job: 4 } as const;

/** Jobs that requests of this process are about to assign: other requests skip them instead of waiting for the lock. */
const inHand = new WeakMap<Db, Set<number>>();

function inHandOf(db: Db): Set<number> {
  const known = inHand.get(db);
  if (known !== undefined) return known;
  const fresh = new Set<number>();
  inHand.set(db, fresh);
  return fresh;
}

/**
 * Assigns a waiting job to a runner. Jobs that cannot run fail instead.
 * @returns undefined if there is none
 * @throws ApiError 409 if other runners took all candidates meanwhile
 */
export async function assignJob(deps: Deps, request: RunnerRequest): Promise<StartedJob | undefined> {
  const taken = inHandOf(deps.db);
  const seen = new Set<number>();
  let lost = false;
  for (let round = 0; round < MAX_CANDIDATES; round += 1) {
    const queue = await candidatesFor(deps.db, request.runner, [...seen, ...taken]);
    if (queue.length === 0) {
      if (lost) throw conflict();
      return undefined;
    }
    const candidate = queue.find(({ job_id }) => !taken.has(job_id));
    // Other requests took them meanwhile: there may be further ones.
    if (candidate === undefined) continue;
    const { job_id: id } = candidate;
    seen.add(id);
    taken.add(id);
    let started: StartedJob | 'lost' | 'unfit';
    try {
      started = await tryJob(deps, request, candidate);
    } catch (error) {
      // It is still waiting, and no other request considers it.
      taken.delete(id);
      wakeRunners(deps);
      throw error;
    }
    taken.delete(id);
    if (typeof started !== 'string') return { ...started, queue: { size: queue.length, depth: seen.size - 1 } };
    lost ||= started === 'lost';
  }
  throw conflict();
}

/** A new job token. Runners cut off the part before the underscore where they name one. */
const newToken = () => `${JOB_TOKEN_PREFIX}64_${randomText(20)}`;

async function tryJob(
  deps: Deps,
  { runner, managerId, features }: RunnerRequest,
  candidate: Candidate,
): Promise<StartedJob | 'lost' | 'unfit'> {
  const { job_id } = candidate;
  const known = await read(deps.db, job_id);
  if (known === undefined || known.job.status !== 'pending') return 'lost';
  const reason = await mismatchReason(deps.db, deps.clock, known, features);
  if (reason !== null) {
    await finishJob(deps, job_id, { status: 'failed', failureReason: reason }, { from: ['pending'] });
    return 'unfit';
  }
  const token = newToken();
  const revalidate = (db: Db) => mayTake(db, runner, candidate);
  const start = { runner, managerId, tokenDigest: tokenDigest(token), ...timeLimit(known, runner), revalidate };
  const job = await deps.db.transaction().execute((db) => startJob(deps, db, known.job, start));
  return job === null ? 'lost' : { ...known, job, runner, token, queue: { size: 0, depth: 0 } };
}

/** Has every feature that a job may need. */
const ABLE: Readonly<Record<string, boolean>> = new Proxy({}, { get: () => true });

/**
 * Starts a waiting job that no runner is going to execute. A job that cannot run fails instead.
 * @returns the started job with its token; undefined if it does not wait (any more) or cannot run
 */
export async function startWithoutRunner(
  deps: Deps,
  jobId: number,
): Promise<{ job: CiJob; token: string } | undefined> {
  const known = await read(deps.db, jobId);
  if (known === undefined || known.job.status !== 'pending') return undefined;
  const reason = await mismatchReason(deps.db, deps.clock, known, ABLE);
  if (reason !== null) {
    await finishJob(deps, jobId, { status: 'failed', failureReason: reason }, { from: ['pending'] });
    return undefined;
  }
  const token = newToken();
  const start = { runner: { id: null }, managerId: null, tokenDigest: tokenDigest(token) };
  const limit = timeLimit(known, { maximum_timeout: null });
  const job = await deps.db.transaction().execute((db) => startJob(deps, db, known.job, { ...start, ...limit }));
  return job === null ? undefined : { job, token };
}

/** Columns that decide which jobs a runner gets. */
const DECIDING = ['digest', 'paused', 'tag_list', 'run_untagged', 'access_level', 'maximum_timeout'] as const;

/** Whether a runner is unchanged since a job was found for it, and still serves the project of the job. */
async function mayTake(db: Db, runner: CiRunner, candidate: Candidate): Promise<boolean> {
  const now = await db.selectFrom('ci_runners').select(DECIDING).where('id', '=', runner.id).executeTakeFirst();
  if (now === undefined || DECIDING.some((name) => now[name] !== runner[name])) return false;
  return canRunFor(db, runner, candidate);
}

async function read(db: Db, id: number): Promise<JobContext | undefined> {
  const job: CiJob | undefined = await db.selectFrom('ci_jobs').selectAll().where('id', '=', id).executeTakeFirst();
  if (job === undefined) return undefined;
  const pipeline = await db.selectFrom('pipelines').selectAll().where('id', '=', job.pipeline_id).executeTakeFirst();
  const project = await db.selectFrom('projects').selectAll().where('id', '=', job.project_id).executeTakeFirst();
  const config = await db.selectFrom('ci_job_configs').select('options').where('job_id', '=', id).executeTakeFirst();
  if (pipeline === undefined || project === undefined || config === undefined) return undefined;
  const options = parseJson<JobOptions>(config.options);
  return { job, pipeline, project, options, dependencies: await dependenciesOf(db, job, options.dependencies) };
}

/** Time limit of a job in seconds, and its source. */
function timeLimit({ project, options }: JobContext, { maximum_timeout }: Pick<CiRunner, 'maximum_timeout'>) {
  const { build_timeout = DEFAULT_TIMEOUT } = parseJson<{ build_timeout?: number }>(project.settings);
  const own = options.timeout ?? build_timeout;
  if (maximum_timeout !== null && maximum_timeout < own) {
    return { timeout: maximum_timeout, timeoutSource: FROM.runner };
  }
  return { timeout: own, timeoutSource: options.timeout === null ? FROM.project : FROM.job };
}
