import type { Updateable } from 'kysely';
import { COMPLETE, FINISHED, isOneOf, type State } from '../../ci/states.ts';
import { timestamp } from '../../core/clock.ts';
import { pluck } from '../../core/pluck.ts';
import type { Db } from '../../db/db.schema.ts';
import type { CiJob, CiJobsTable } from '../../db/tables/ci-jobs.table.ts';
import type { Deps } from '../../deps.ts';
import type { NewJob } from '../../jobs/jobs.queue.ts';
import { syncDeployments } from '../environments/pipeline-environments.deployments.ts';
import { ASSIGN_RESOURCE, RUN_BRIDGE, START_DELAYED, UPDATE_ENVIRONMENT } from '../job-kinds.ts';
import { wakeRunnersAfter } from '../runners/pending-jobs.ts';

/** Columns of a job required to move it. */
export const MOVABLE = [
  'id',
  'kind',
  'project_id',
  'pipeline_id',
  'status',
  'resource_group_id',
  'start_in',
  'environment',
  'tag_list',
  'protected',
] as const satisfies (keyof CiJob)[];
export type MovableJob = Pick<CiJob, (typeof MOVABLE)[number]>;

/** Events of a job. */
export type JobEvent =
  | 'enqueue'
  | 'grant'
  | 'actionize'
  | 'schedule'
  | 'unschedule'
  | 'run'
  | 'success'
  | 'drop'
  | 'skip'
  | 'cancel'
  | 'begin_cancel'
  | 'force_cancel'
  | 'process'
  /** Events of bridges, which mirror the status of their downstream pipeline. */
  | 'mirror_skipped'
  | 'mirror_manual'
  | 'reopen';

const AT_WORK = ['created', 'waiting_for_resource', 'preparing', 'waiting_for_callback', 'pending', 'running'] as const;

/** States in which each event may happen. */
const FROM: Record<JobEvent, readonly State[]> = {
  enqueue: ['created', 'skipped', 'manual', 'scheduled'],
  grant: ['waiting_for_resource'],
  actionize: ['created'],
  schedule: ['created'],
  unschedule: ['scheduled'],
  run: ['pending'],
  success: [...AT_WORK, 'canceling'],
  drop: [...AT_WORK, 'manual', 'scheduled', 'canceling'],
  skip: ['created', 'waiting_for_resource', 'preparing', 'pending'],
  cancel: [...AT_WORK, 'manual', 'scheduled'],
  begin_cancel: ['running'],
  force_cancel: ['canceling'],
  process: ['skipped', 'manual'],
  mirror_skipped: ['running', 'manual'],
  mirror_manual: ['running'],
  reopen: ['success', 'failed', 'canceled', 'skipped', 'manual'],
};

/** Resulting state of each event. */
const TO: Record<JobEvent, (job: MovableJob) => State> = {
  enqueue: ({ resource_group_id }) => (resource_group_id === null ? 'pending' : 'waiting_for_resource'),
  grant: () => 'pending',
  actionize: () => 'manual',
  schedule: () => 'scheduled',
  unschedule: () => 'manual',
  run: () => 'running',
  success: ({ status }) => (status === 'canceling' ? 'canceled' : 'success'),
  drop: ({ status }) => (status === 'canceling' ? 'canceled' : 'failed'),
  skip: () => 'skipped',
  cancel: () => 'canceled',
  begin_cancel: () => 'canceling',
  force_cancel: () => 'canceled',
  process: () => 'created',
  mirror_skipped: () => 'skipped',
  mirror_manual: () => 'manual',
  reopen: () => 'running',
};

/** Whether an event may happen to a job in this state. */
export const canMove = (event: JobEvent, state: State): boolean => isOneOf(FROM[event], state);

/** Further columns to set, and the user. */
export interface MoveOptions {
  values?: Updateable<CiJobsTable>;
  actorId?: number | null;
}

/** Number of jobs changed by one statement. */
const BATCH_SIZE = 2000;

/**
 * Moves jobs of one pipeline. Nothing else changes the state of a job. Sets its times, updates the queue of pending
 * jobs and deployments, releases its resources, and records `job.updated`. Jobs that are no longer in the given state,
 * or in one that the event does not start from, stay unchanged.
 * @param db the handle of a transaction that has locked the pipeline (`lockPipeline`)
 * @param jobs read after that
 * @returns the moved jobs in their new state
 */
export async function moveJobs<J extends MovableJob>(
  deps: Deps,
  db: Db,
  event: JobEvent,
  jobs: readonly J[],
  options: MoveOptions = {},
): Promise<J[]> {
  const moves = new Map<string, J[]>();
  for (const job of jobs) {
    if (!canMove(event, job.status)) continue;
    const key = `${job.status} ${TO[event](job)} ${job.kind} ${event === 'schedule' ? job.start_in : ''}`;
    const alike = moves.get(key);
    if (alike === undefined) moves.set(key, [job]);
    else alike.push(job);
  }
  const moved: J[] = [];
  for (const alike of moves.values()) {
    for (let at = 0; at < alike.length; at += BATCH_SIZE) {
      moved.push(...(await moveAlike(deps, db, event, alike.slice(at, at + BATCH_SIZE), options)));
    }
  }
  return moved;
}

/** Moves one job. @returns its new state; null if it could not be moved */
export async function moveJob<J extends MovableJob>(
  deps: Deps,
  db: Db,
  event: JobEvent,
  job: J,
  options: MoveOptions = {},
): Promise<J | null> {
  const [moved] = await moveJobs(deps, db, event, [job], options);
  return moved ?? null;
}

/** Moves jobs of one kind from the same state to the same state. */
async function moveAlike<J extends MovableJob>(
  deps: Deps,
  db: Db,
  event: JobEvent,
  jobs: readonly J[],
  { values = {}, actorId = null }: MoveOptions,
): Promise<J[]> {
  const [{ status: from, kind, start_in, project_id }] = jobs as [J, ...J[]];
  const to = TO[event](jobs[0]!);
  const now = deps.clock.now();
  const set: Updateable<CiJobsTable> = {
    ...timesOf(kind, from, to, now, start_in),
    ...values,
    status: to,
    updated_at: now.toISOString(),
  };
  const rows = await db
    .updateTable('ci_jobs')
    .set(set)
    .where('id', 'in', pluck(jobs, 'id'))
    .where('status', '=', from)
    .returning('id')
    .execute();
  const ids = new Set(rows.map(({ id }) => id));
  const moved = jobs.filter(({ id }) => ids.has(id)).map((job) => ({ ...job, ...(set as Partial<J>) }));
  if (moved.length === 0) return [];
  if (kind === 'build') await keepPending(deps, db, moved, from, to);
  await syncDeployments(deps, db, moved, to);
  if (isOneOf(COMPLETE, to)) await freeResources(deps, db, moved);
  await deps.jobs.enqueueAll(db, moved.flatMap(followUps));
  const payloads = moved.map(({ id, pipeline_id }) => ({
    job_id: id,
    pipeline_id,
    project_id,
    status: to,
    old_status: from,
  }));
  await deps.events.recordAll(db, 'job.updated', payloads, { projectId: project_id, actorId });
  return moved;
}

function timesOf(
  kind: CiJob['kind'],
  from: State,
  to: State,
  at: Date,
  startIn: number | null,
): Updateable<CiJobsTable> {
  const now = at.toISOString();
  const scheduled = from === 'scheduled' ? { scheduled_at: null } : {};
  if (to === 'pending') return { ...scheduled, queued_at: now, ...(kind === 'bridge' ? { started_at: now } : {}) };
  if (to === 'running') return { ...(kind === 'bridge' ? {} : { started_at: now }) };
  if (to === 'scheduled') return { scheduled_at: new Date(at.getTime() + (startIn ?? 0) * 1000).toISOString() };
  return isOneOf(FINISHED, to) ? { ...scheduled, finished_at: now } : scheduled;
}

/** Key of the tags with which a job waits for a runner. */
export const tagKey = (tagList: string): string => (JSON.parse(tagList) as string[]).join(',');

/** Adds jobs to the queue of pending jobs, or removes them. */
async function keepPending(deps: Deps, db: Db, jobs: readonly MovableJob[], from: State, to: State): Promise<void> {
  if (to === 'pending') {
    const created_at = timestamp(deps.clock);
    const rows = jobs.map(({ id, project_id, tag_list, protected: isProtected }) => ({
      job_id: id,
      project_id,
      tag_key: tagKey(tag_list),
      protected: isProtected,
      created_at,
    }));
    await db
      .insertInto('ci_pending_jobs')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    wakeRunnersAfter(deps, db);
  } else if (from === 'pending') {
    const ids = jobs.map(({ id }) => id);
    await db.deleteFrom('ci_pending_jobs').where('job_id', 'in', ids).execute();
  }
}

/** Releases the resource groups of jobs for the next waiting ones. */
async function freeResources(deps: Deps, db: Db, jobs: readonly MovableJob[]): Promise<void> {
  const holding = jobs.filter(({ resource_group_id }) => resource_group_id !== null).map(({ id }) => id);
  if (holding.length === 0) return;
  await db
    .updateTable('resource_groups')
    .set({ job_id: null, updated_at: timestamp(deps.clock) })
    .where('job_id', 'in', holding)
    .execute();
}

/** Background work required by the new state of a job. */
function followUps(job: MovableJob & { scheduled_at?: string | null }): NewJob<unknown>[] {
  const { id, kind, project_id: projectId, status, resource_group_id, environment } = job;
  const payload = { job_id: id };
  if (kind === 'bridge' && status === 'pending') return [{ kind: RUN_BRIDGE, payload, projectId }];
  if (status === 'scheduled') {
    return [{ kind: START_DELAYED, payload, projectId, runAt: new Date(job.scheduled_at!) }];
  }
  const works: NewJob<unknown>[] = [];
  if (status === 'success' && environment !== null) works.push({ kind: UPDATE_ENVIRONMENT, payload, projectId });
  if (resource_group_id !== null && (status === 'waiting_for_resource' || isOneOf(COMPLETE, status))) {
    works.push({ kind: ASSIGN_RESOURCE, payload: { resource_group_id }, projectId });
  }
  return works;
}
