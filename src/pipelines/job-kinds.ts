import { jobKind } from '../jobs/jobs.kinds.ts';

/** Starts the downstream pipeline of a bridge. */
export const RUN_BRIDGE = jobKind<{ job_id: number }>('ci.run-bridge', { lane: 'ci' });
/** Updates a waiting bridge to the status of its downstream pipeline. */
export const FOLLOW_DOWNSTREAM = jobKind<{ pipeline_id: number; job_id: number; again: boolean }>(
  'ci.follow-downstream',
  { lane: 'ci' },
);
/** Enqueues a delayed job at its time. */
export const START_DELAYED = jobKind<{ job_id: number }>('ci.start-delayed', { lane: 'ci' });
/** Assigns a free resource group to the next waiting job. */
export const ASSIGN_RESOURCE = jobKind<{ resource_group_id: number }>('ci.assign-resource', { lane: 'ci' });
/** Creates the ref that keeps the commit of a pipeline, before a runner requests it. */
export const KEEP_PIPELINE_REF = jobKind<{ pipeline_id: number }>('ci.keep-pipeline-ref', { lane: 'git' });
/** Removes the ref that kept the commit of a pipeline while its jobs ran. */
export const DROP_PIPELINE_REF = jobKind<{ pipeline_id: number; project_id: number }>('ci.drop-pipeline-ref', {
  lane: 'git',
});

/** Updates an environment after a job has deployed to it or stopped it. */
export const UPDATE_ENVIRONMENT = jobKind<{ job_id: number }>('ci.update-environment', { lane: 'ci' });
/** Cancels older pipelines of a ref that a new one makes redundant. */
export const CANCEL_REDUNDANT = jobKind<{ pipeline_id: number }>('ci.cancel-redundant', { lane: 'ci' });

/** Topic that wakes requests waiting for pending jobs. */
export const PENDING_JOBS = 'ci:pending-jobs';
