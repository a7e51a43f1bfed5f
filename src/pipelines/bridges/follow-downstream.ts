import type { JobOptions, Trigger } from '../../ci/pipeline-config.ts';
import { COMPLETE, isOneOf, type State } from '../../ci/states.ts';
import { parseJson } from '../../db/columns.ts';
import type { Db } from '../../db/db.schema.ts';
import type { Deps } from '../../deps.ts';
import { endJob } from '../states/finish-job.ts';
import { type LockedJob, lockJob } from '../states/lock-job.ts';
import { processLocked } from '../states/pipeline-states.process.ts';
import { resetSkipped } from '../states/reset-skipped.ts';
import { type JobEvent, moveJob } from '../states/transitions.ts';

/**
 * Updates a bridge with a strategy to the status of its downstream pipeline.
 * @param followed `again`: the finished pipeline runs again, and so does the bridge
 */
export async function followDownstream(
  deps: Deps,
  followed: { pipeline_id: number; job_id: number; again: boolean },
): Promise<void> {
  const strategy = await strategyOf(deps.db, followed.job_id);
  if (strategy === null) return;
  await deps.db.transaction().execute(async (db) => {
    const locked = await lockJob(db, followed.job_id);
    if (locked === null || locked.job.retried === 1) return;
    const downstream = await db
      .selectFrom('pipelines')
      .select('status')
      .where('id', '=', followed.pipeline_id)
      .executeTakeFirst();
    // A deleted pipeline never ends.
    await mirrorDownstreamStatus(deps, db, locked, strategy, downstream?.status ?? 'canceled', followed.again);
  });
}

/** The strategy of a bridge; null if it has none, or no longer exists. */
export async function strategyOf(db: Db, jobId: number): Promise<Trigger['strategy']> {
  const row = await db.selectFrom('ci_job_configs').select('options').where('job_id', '=', jobId).executeTakeFirst();
  return row === undefined ? null : (parseJson<JobOptions>(row.options).trigger?.strategy ?? null);
}

/** Moves a bridge of a locked pipeline to the state of its downstream pipeline. */
export async function mirrorDownstreamStatus(
  deps: Deps,
  db: Db,
  locked: LockedJob,
  strategy: 'depend' | 'mirror',
  status: State,
  again: boolean,
): Promise<void> {
  const { job, pipeline } = locked;
  const mirroredStatus = strategy === 'depend' && status === 'skipped' ? 'failed' : status;
  if (mirroredStatus === 'success' || mirroredStatus === 'failed') {
    await endJob(deps, db, locked, { status: mirroredStatus });
    return;
  }
  const event = eventOf(strategy, mirroredStatus, job.status, again);
  if (event === null) return;
  const values = event === 'reopen' ? { finished_at: null, failure_reason: null } : {};
  const moved = await moveJob(deps, db, event, job, { values });
  if (moved === null) return;
  if (event === 'reopen') await resetSkipped(deps, db, [job], null);
  await processLocked(deps, db, pipeline);
}

function eventOf(strategy: 'depend' | 'mirror', status: State, now: State, again: boolean): JobEvent | null {
  if (status === 'canceled') return 'cancel';
  if (status === 'skipped') return 'mirror_skipped';
  if (status === 'manual' && strategy === 'mirror') return 'mirror_manual';
  const over = isOneOf(COMPLETE, now) || now === 'manual';
  return over && again ? 'reopen' : null;
}
