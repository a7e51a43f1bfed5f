import { Type } from 'typebox';
import { findProject } from '../../access/lookup.ts';
import { notFound } from '../../core/core.errors.ts';
import { type Route, route } from '../../http/http.route.ts';
import { refuseUnknownKeys } from '../strict-input.ts';
import { BENCH_ROUTE } from '../test-bench.access.ts';
import { JobOutcome, JobRule, readJobOutcome } from './job-outcome.ts';

const RULES = '/-/bench/projects/:id/jobs';

const description = 'How jobs end by themselves: `auto` lets all succeed; of a list the first rule of a name counts.';
const Rules = Type.Union([Type.Literal('auto'), Type.Array(JobRule)], { description });
const RulesEntity = Type.Object({ rules: Rules });
/** Read by `readJobRules`, which says what is wrong with which rule. */
const RulesInput = Type.Object({ rules: Type.Unknown({ description }) });
const ProjectParam = Type.Object({ id: Type.String({ description: 'Id or path of a project.' }) });

async function projectOf(deps: Parameters<typeof findProject>[0], id: string): Promise<number> {
  const found = await findProject(deps, id);
  if (found === undefined) throw notFound('Project');
  return found.project.id;
}

/** CI jobs that end without a runner. */
export const benchJobsRoutes: Route[] = [
  route({
    ...BENCH_ROUTE,
    method: 'POST',
    path: '/-/bench/jobs/:job_id',
    summary: 'End a job as a runner would',
    description: 'Only a pending or running one. Its script is not run.',
    params: Type.Object({ job_id: Type.Integer({ description: 'Id of the job.' }) }),
    input: JobOutcome,
    success: {
      status: 201,
      schema: Type.Object({
        id: Type.Integer({ description: 'Id of the job.' }),
        status: Type.String({ description: 'Its new state.' }),
        pipeline_id: Type.Integer({ description: 'Id of its pipeline.' }),
      }),
    },
    errors: [400, 404, 409, 413],
    handler: async ({ bench, deps, params, sent }) => {
      await bench.jobs.end(params.job_id, readJobOutcome(sent));
      const columns = ['id', 'status', 'pipeline_id'] as const;
      return deps.db.selectFrom('ci_jobs').select(columns).where('id', '=', params.job_id).executeTakeFirstOrThrow();
    },
  }),
  route({
    ...BENCH_ROUTE,
    method: 'GET',
    path: RULES,
    summary: 'Get how jobs of a project end by themselves',
    params: ProjectParam,
    success: { status: 200, schema: RulesEntity },
    errors: [404],
    handler: async ({ bench, deps, params }) => ({ rules: await bench.jobs.rules(await projectOf(deps, params.id)) }),
  }),
  route({
    ...BENCH_ROUTE,
    method: 'PUT',
    path: RULES,
    summary: 'Set how jobs of a project end by themselves',
    description: 'An empty list ends that.',
    params: ProjectParam,
    input: RulesInput,
    success: { status: 200, schema: RulesEntity },
    errors: [400, 404],
    handler: async ({ bench, deps, params, sent }) => {
      refuseUnknownKeys(sent, RulesInput);
      return { rules: await bench.jobs.setRules(await projectOf(deps, params.id), sent.rules) };
    },
  }),
];
