import type { Db } from '../../db/db.schema.ts';
import type { CiJob } from '../../db/tables/ci-jobs.table.ts';
import type { Deps } from '../../deps.ts';
import { latestJobs, type ProcessedJob } from './pipeline-states.process.ts';
import { moveJobs } from './transitions.ts';

/**
 * Resets skipped jobs whose predecessors are going to run: jobs of later stages, jobs that need these, and so on.
 * @param jobs that are going to run, of one locked pipeline
 * @param userId user of the reset jobs; null: unchanged
 */
export async function resetSkipped(
  deps: Deps,
  db: Db,
  jobs: readonly Pick<CiJob, 'name' | 'stage_index' | 'pipeline_id'>[],
  userId: number | null,
): Promise<void> {
  if (jobs.length === 0) return;
  const latest = await latestJobs(db, jobs[0]!.pipeline_id);
  const skipped = latest.filter(({ status }) => status === 'skipped');
  if (skipped.length === 0) return;
  const values = userId === null ? {} : { user_id: userId };
  await moveJobs(deps, db, 'process', followers(jobs, skipped, await needsOf(db, skipped)), {
    values,
    actorId: userId,
  });
}

/** The skipped jobs that depend on others, directly or indirectly. */
function followers(
  jobs: readonly Pick<CiJob, 'name' | 'stage_index'>[],
  skipped: readonly ProcessedJob[],
  needs: ReadonlyMap<number, readonly string[]>,
): ProcessedJob[] {
  const names = new Set(jobs.map(({ name }) => name));
  let stage = jobs.reduce((lowest, { stage_index }) => Math.min(lowest, stage_index), Number.POSITIVE_INFINITY);
  const dependents = new Set<ProcessedJob>();
  for (let before = -1; before !== dependents.size; ) {
    before = dependents.size;
    for (const job of skipped) {
      const follows =
        job.scheduling === 'dag' ? (needs.get(job.id) ?? []).some((name) => names.has(name)) : job.stage_index > stage;
      if (!follows || dependents.has(job)) continue;
      dependents.add(job);
      names.add(job.name);
      stage = Math.min(stage, job.stage_index);
    }
  }
  return [...dependents];
}

async function needsOf(db: Db, jobs: readonly ProcessedJob[]): Promise<Map<number, string[]>> {
  const needs = new Map<number, string[]>();
  const ids = jobs.filter(({ scheduling }) => scheduling === 'dag').map(({ id }) => id);
  if (ids.length === 0) return needs;
  const rows = await db.selectFrom('ci_job_needs').select(['job_id', 'name']).where('job_id', 'in', ids).execute();
  for (const { job_id, name } of rows) {
    const names = needs.get(job_id);
    if (names === undefined) needs.set(job_id, [name]);
    else names.push(name);
  }
  return needs;
}
