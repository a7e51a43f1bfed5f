import { Type } from 'typebox';
import { notFound, recordNotFound } from '../../../core/errors.ts';
import { type Route, route } from '../../../http/route.ts';
import { expireProjectArtifacts } from '../../../pipelines/artifacts/expiry.ts';
import { keepArtifactsOf } from '../../../pipelines/artifacts/keep.ts';
import { removeArtifactsOf } from '../../../pipelines/artifacts/remove.ts';
import { inProject } from '../../access.ts';
import { onObject } from '../../object-access.ts';
import { jobObject, ONE } from '../jobs/access.ts';
import { Job } from '../jobs/answers.ts';
import { findJob } from '../jobs/find.ts';
import { presentJobs } from '../jobs/views.ts';
import { mayRun } from '../run-rights.ts';
import { findArchive } from './find.ts';

const tag = 'Job artifacts';

/** Keeping and removing the artifacts of jobs (part 1, section 4.5). */
export const artifactWriteRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: `${ONE}/artifacts/keep`,
    operationId: 'keepJobArtifacts',
    summary: 'Keep the artifacts of a job for ever',
    tag,
    access: onObject(jobObject('build'), 'keep_artifacts', {
      further: (deps, scope) => mayRun(deps, scope, scope.job),
    }),
    success: { status: 200, schema: Job },
    handler: async ({ deps, project, permissions, job }) => {
      await findArchive(deps, permissions, job.id);
      const kept = await deps.db.transaction().execute((db) => keepArtifactsOf(db, [job.id]));
      if (kept.length === 0) throw notFound();
      const [shown] = await presentJobs(deps, [await findJob(deps.db, project.id, job.id, 'build')], project);
      if (shown === undefined) throw recordNotFound();
      return shown;
    },
  }),
  route({
    method: 'DELETE',
    path: `${ONE}/artifacts`,
    operationId: 'deleteJobArtifacts',
    summary: 'Delete the artifacts of a job',
    description: 'For ever, reports included. The log stays.',
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
      'Of all jobs but those of the last successful pipeline of each branch and tag, where the project keeps these. It is done soon after the answer. Logs stay.',
    tag,
    access: inProject('destroy_artifacts'),
    success: { status: 202, schema: Type.Object({ message: Type.String() }) },
    handler: async ({ deps, project }) => {
      await expireProjectArtifacts(deps, project.id);
      return { message: '202 Accepted' };
    },
  }),
];
