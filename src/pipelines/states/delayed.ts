import type { Deps } from '../../deps.ts';
import { START_DELAYED } from '../job-kinds.ts';
import { lockJob } from './lock-job.ts';
import { processLocked } from './pipeline-states.process.ts';
import { moveJob } from './transitions.ts';

/** Starts a delayed job whose time has come; a job that is no longer delayed stays unchanged. */
export function startDelayed(deps: Deps, jobId: number): Promise<void> {
  return deps.db.transaction().execute(async (db) => {
    const locked = await lockJob(db, jobId);
    if (locked === null || locked.job.status !== 'scheduled') return;
    const { job, pipeline } = locked;
    const due = new Date(job.scheduled_at ?? 0);
    if (due > deps.clock.now()) {
      await deps.jobs.enqueue(db, START_DELAYED, { job_id: jobId }, { runAt: due, projectId: job.project_id });
      return;
    }
    await moveJob(deps, db, 'enqueue', job);
    await processLocked(deps, db, pipeline);
  });
}
