import { Type } from 'typebox';
import { notFound, recordNotFound } from '../../../core/core.errors.ts';
import { type Route, route } from '../../../http/http.route.ts';
import { expireProjectArtifacts } from '../../../pipelines/artifacts/pipeline-artifacts.expiry.ts';
import { removeArtifactsOf } from '../../../pipelines/artifacts/remove.ts';
import { retainArtifactsOf } from '../../../pipelines/artifacts/retain.ts';
import { inProject } from '../../api.access.ts';
import { onObject } from '../../object-access.ts';
import { mayRun } from '../ci.run-rights.ts';
import { JOB_PATH, jobObject } from '../jobs/jobs.access.ts';
import { findJob } from '../jobs/jobs.find.ts';
import { Job } from '../jobs/jobs.responses.ts';
import { presentJobs } from '../jobs/jobs.views.ts';
import { findArchive } from './artifacts.find.ts';

const tag = 'Job artifacts';

/** Routes that keep and delete artifacts of jobs (part 1, section 4.5). */
export const artifactWriteRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: `${JOB_PATH}/artifacts/keep`,
    operationId: 'keepJobArtifacts',
    summary: 'Keep the artifacts of a job forever',
    tag,
    access: onObject(jobObject('build'), 'keep_artifacts', {
      further: (deps, scope) => mayRun(deps, scope, scope.job),
    }),
    success: { status: 200, schema: Job },
    handler: async ({ deps, project, permissions, job }) => {
      await findArchive(deps, permissions, job.id);
      const retained = await deps.db.transaction().execute((db) => retainArtifactsOf(db, [job.id]));
      if (retained.length === 0) throw notFound();
      const [shown] = await presentJobs(deps, [await findJob(deps.db, project.id, job.id, 'build')], project);
      if (shown === undefined) throw recordNotFound();
      return shown;
    },
  }),
  route({
    method: 'DELETE',
    path: `${JOB_PATH}/artifacts`,
    operationId: 'deleteJobArtifacts',
    summary: 'Delete the artifacts of a job',
    description: 'Permanently, including reports. The log is kept.',
    tag,
    access: onObject(jobObject('build'), 'destroy_artifacts'),
    success: { status: 204, empty: true },
    handler: ({ deps, job }) => removeArtifactsOf(deps, job.id),
  }),
  route({
    method: 'DELETE',
    path: '/projects/:id/artifacts',
    operationId: 'deleteProjectArtifacts',
    summary: 'Delete the artifacts of a project',
    description:
      'Deletes the artifacts of all jobs, except those of the last successful pipeline of each branch and tag if the project keeps them. Runs in the background. Logs are kept.',
    tag,
    access: inProject('destroy_artifacts'),
    success: { status: 202, schema: Type.Object({ message: Type.String() }) },
    handler: async ({ deps, project }) => {
      await expireProjectArtifacts(deps, project.id);
      return { message: '202 Accepted' };
    },
  }),
];
