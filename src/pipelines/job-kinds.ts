import { jobKind } from '../jobs/jobs.kinds.ts';

/** Starts what a bridge triggers. */
export const RUN_BRIDGE = jobKind<{ job_id: number }>('ci.run-bridge', { lane: 'ci' });
/** Lets a bridge that waits for its downstream pipeline take over how that goes. */
export const FOLLOW_DOWNSTREAM = jobKind<{ pipeline_id: number; job_id: number; again: boolean }>(
  'ci.follow-downstream',
  { lane: 'ci' },
);
/** Enqueues a delayed job when its time has come. */
export const START_DELAYED = jobKind<{ job_id: number }>('ci.start-delayed', { lane: 'ci' });
/** Gives a free resource group to the next job that waits for it. */
export const ASSIGN_RESOURCE = jobKind<{ resource_group_id: number }>('ci.assign-resource', { lane: 'ci' });
/** Makes the ref that keeps the commit of a pipeline, long before a runner asks for it. */
export const KEEP_PIPELINE_REF = jobKind<{ pipeline_id: number }>('ci.keep-pipeline-ref', { lane: 'git' });
/** Removes the ref that kept the commit of a pipeline while its jobs ran. */
export const DROP_PIPELINE_REF = jobKind<{ pipeline_id: number; project_id: number }>('ci.drop-pipeline-ref', {
  lane: 'git',
});

/** Brings an environment in line with a job that has deployed to it, or stopped it. */
export const UPDATE_ENVIRONMENT = jobKind<{ job_id: number }>('ci.update-environment', { lane: 'ci' });
/** Cancels older pipelines of a ref that a new one makes redundant. */
export const CANCEL_REDUNDANT = jobKind<{ pipeline_id: number }>('ci.cancel-redundant', { lane: 'ci' });

/** What those who wait for jobs that a runner can take are woken by. */
export const PENDING_JOBS = 'ci:pending-jobs';
