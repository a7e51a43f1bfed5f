import type { CiJob } from '../../../db/tables/ci-jobs.table.ts';
import { inProject } from '../../api.access.ts';
import type { ProjectObject } from '../../object-access.ts';
import { findJob } from './jobs.find.ts';
import { JobId } from './jobs.inputs.ts';

export const JOBS = '/projects/:id/jobs';
export const JOB_PATH = `${JOBS}/:job_id`;

/** Whoever may see jobs, anonymous callers of public projects included. */
export const jobReader = inProject('read_pipeline', { anonymous: true });

/** A job, whose author is the user that it runs for. */
export const jobObject = (kind: 'build' | 'any'): ProjectObject<typeof JobId, { job: CiJob }> => ({
  noun: 'job',
  sees: 'read_pipeline',
  params: JobId,
  find: async (deps, { project }, { job_id }) => ({ job: await findJob(deps.db, project.id, job_id, kind) }),
  target: (_deps, { job }, caller) => ({
    is: (relation) => relation === 'author' && job.user_id === caller.user.id,
  }),
});
