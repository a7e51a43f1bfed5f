import type { CiJob } from '../../../db/tables/ci-jobs.table.ts';
import { inProject } from '../../api.access.ts';
import type { ProjectObject } from '../../object-access.ts';
import { findJob } from './jobs.find.ts';
import { JobId } from './jobs.inputs.ts';

export const JOBS = '/projects/:id/jobs';
export const JOB_PATH = `${JOBS}/:job_id`;

/** Callers who may see jobs, including anonymous callers of public projects. */
export const jobReader = inProject('read_pipeline', { anonymous: true });

/** A job; its user counts as its author. */
export const jobObject = (kind: 'build' | 'any'): ProjectObject<typeof JobId, { job: CiJob }> => ({
  noun: 'job',
  sees: 'read_pipeline',
  params: JobId,
  find: async (deps, { project }, { job_id }) => ({ job: await findJob(deps.db, project.id, job_id, kind) }),
  target: (_deps, { job }, caller) => ({
    is: (relation) => relation === 'author' && job.user_id === caller.user.id,
  }),
});
