import { Type } from 'typebox';
import { maintainer } from '../../../access/ability-rule.ts';
import { badRequest, forbidden, invalidModel, recordNotFound } from '../../../core/core.errors.ts';
import type { CiJob } from '../../../db/tables/ci-jobs.table.ts';
import type { BaseContext } from '../../../http/http.route.ts';
import { route } from '../../../http/http.route.ts';
import { maySetVariables } from '../../../pipelines/pipelines.run-rights.ts';
import { eraseJob } from '../../../pipelines/removal/erase.ts';
import { inputErrors, type JobInputValues } from '../../../pipelines/runners/job-inputs.ts';
import { cancelJob } from '../../../pipelines/states/cancel.ts';
import { retryJob } from '../../../pipelines/states/pipeline-states.retry.ts';
import { playJob } from '../../../pipelines/states/play.ts';
import type { ProjectScope } from '../../api.access.ts';
import { onObject } from '../../object-access.ts';
import { mayCancel, mayRun } from '../ci.run-rights.ts';
import { JOB_PATH, jobObject } from './jobs.access.ts';
import { findJob } from './jobs.find.ts';
import { PlayJob, RetryJob } from './jobs.inputs.ts';
import { Bridge, Job } from './jobs.responses.ts';
import { presentBridges, presentJobs } from './jobs.views.ts';

const AnyJob = Type.Union([Job, Bridge]);
const runnable = onObject(jobObject('any'), 'update_pipeline', {
  further: (deps, scope) => mayRun(deps, scope, scope.job),
});

/** Renders a job after a change. @throws ApiError 404 if it was deleted */
async function answerJob(c: BaseContext & ProjectScope, job: CiJob) {
  const [shown] =
    job.kind === 'bridge'
      ? await presentBridges(c.deps, c.caller, [job], c.project)
      : await presentJobs(c.deps, [job], c.project);
  if (shown === undefined) throw recordNotFound();
  return shown;
}

/** Validates values for the inputs of a job. @throws ApiError 400 */
async function checkedInputs({ deps }: BaseContext, job: CiJob, input: JobInputValues = {}): Promise<JobInputValues> {
  const errors = await inputErrors(deps.db, job.id, input);
  if (errors.length > 0) throw invalidModel({ base: errors });
  return input;
}

export const jobActionRoutes = [
  route({
    method: 'POST',
    path: `${JOB_PATH}/cancel`,
    summary: 'Cancel a job',
    description: 'A finished job is left unchanged.',
    access: onObject(jobObject('any'), 'update_pipeline', {
      further: (deps, scope) => mayCancel(deps, scope, scope.job),
    }),
    input: Type.Object({
      force: Type.Optional(
        Type.Boolean({
          default: false,
          description:
            'Also end a job that is already being canceled, without waiting for its runner. Takes Maintainer or higher.',
        }),
      ),
    }),
    success: { status: 201, schema: AnyJob },
    handler: async (c) => {
      const { deps, project, permissions, caller, job, input } = c;
      const force = input.force === true;
      if (force && permissions.level < maintainer) throw forbidden();
      const canceled = await cancelJob(deps, job.id, { userId: caller.user.id, force });
      return answerJob(c, canceled ?? (await findJob(deps.db, project.id, job.id, 'any')));
    },
  }),
  route({
    method: 'POST',
    path: `${JOB_PATH}/retry`,
    summary: 'Retry a job',
    description: 'Creates a new job with an id of its own, and returns it.',
    access: runnable,
    input: RetryJob,
    success: { status: 201, schema: AnyJob },
    errors: [400],
    handler: async (c) => {
      const inputs = await checkedInputs(c, c.job, c.input.inputs);
      const made = await retryJob(c.deps, c.job.id, { userId: c.caller.user.id, inputs });
      if (made === null) throw forbidden('Job is not retryable');
      return answerJob(c, made);
    },
  }),
  route({
    method: 'POST',
    path: `${JOB_PATH}/play`,
    summary: 'Start a manual or delayed job',
    description: 'A manual job that has finished is retried, as a new job.',
    access: runnable,
    input: PlayJob,
    success: { status: 200, schema: AnyJob },
    errors: [400],
    handler: async (c) => {
      const variables = c.input.job_variables_attributes ?? [];
      if (variables.length > 0 && !maySetVariables(c))
        throw forbidden('Insufficient permissions to set pipeline variables');
      const inputs = await checkedInputs(c, c.job, c.input.job_inputs);
      const played = await playJob(c.deps, c.job.id, { userId: c.caller.user.id, variables, inputs });
      if (played === null) throw badRequest('Unplayable Job');
      return answerJob(c, played);
    },
  }),
  route({
    method: 'POST',
    path: `${JOB_PATH}/erase`,
    summary: 'Erase the log and the artifacts of a job',
    access: onObject(jobObject('build'), 'erase_job', { further: (deps, scope) => mayRun(deps, scope, scope.job) }),
    success: { status: 201, schema: Job },
    handler: async (c) => {
      const erased = await eraseJob(c.deps, c.job.id);
      if (erased === null) throw forbidden('Job is not erasable!');
      return answerJob(c, erased);
    },
  }),
];
