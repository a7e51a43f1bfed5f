import { Type } from 'typebox';
import { forbidden, unauthorized } from '../../../core/core.errors.ts';
import { route } from '../../../http/http.route.ts';
import { LOG_MEMORY, readLog } from '../../../pipelines/trace/read-log.ts';
import { recordWatcher } from '../../../pipelines/trace/trace.watchers.ts';
import { JOB_PATH, jobReader } from './jobs.access.ts';
import { findJob } from './jobs.find.ts';
import { JobId } from './jobs.inputs.ts';

export const jobTraceRoutes = [
  route({
    method: 'GET',
    path: `${JOB_PATH}/trace`,
    summary: 'Get the log of a job',
    description:
      'The part that the runner has sent so far; empty before the job starts. Logs of jobs with `CI_DEBUG_TRACE` are limited to Developers and higher roles.',
    access: jobReader,
    params: Type.Object(JobId),
    success: {
      status: 200,
      contentType: 'text/plain',
      headers: { 'Content-Disposition': Type.String({ description: 'Send the file name `<id>.log`.' }) },
    },
    errors: [403, 404],
    handler: async (c) => {
      const job = await findJob(c.deps.db, c.project.id, c.params.job_id, 'build');
      if (job.debug_trace === 1 && !c.permissions.can('read_debug_log')) {
        throw c.caller.user === null ? unauthorized() : forbidden();
      }
      if (job.status === 'running') recordWatcher(c.deps, job.id);
      c.reply.type('text/plain').header('Content-Disposition', `infile; filename="${job.id}.log"`);
      c.reply.header('Cache-Control', 'max-age=0, private, must-revalidate');
      return c.stream(LOG_MEMORY, () => readLog(c.deps, job));
    },
  }),
];
