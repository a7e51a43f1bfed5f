import { Type } from 'typebox';
import { projectsOfIds } from '../../../access/find-by-id.ts';
import { STATES } from '../../../ci/states.ts';
import { checkUnmodifiedSince } from '../../../http/conditional.ts';
import { readIdCursor } from '../../../http/http.cursor.ts';
import { type BaseContext, type Route, route } from '../../../http/http.route.ts';
import { Enum, optional, pagination } from '../../../http/http.schema.ts';
import { byKeyset, uncounted } from '../../../http/listing.ts';
import { administrator, inGroup, inProject, requireUser, signedIn } from '../../api.access.ts';
import { presentProjects, SimpleProject } from '../../spaces/index.ts';
import { presentJobs } from '../jobs/jobs.views.ts';
import { runnerReader, runnerUpdater } from './runners.access.ts';
import { runnerChange, runnerFilters, runnerId } from './runners.inputs.ts';
import { RunnerJob } from './runners.job-responses.ts';
import { jobsOfRunner } from './runners.jobs.ts';
import { allRunners, filtered, ownRunners, runnersOfGroup, runnersOfProject } from './runners.list.ts';
import { RenewedRunnerToken, Runner, RunnerDetails, RunnerManager } from './runners.responses.ts';
import { resetRunnerToken } from './runners.tokens.ts';
import { presentManagers, presentRunner, presentRunners, projectsOfRunner } from './runners.views.ts';
import { deleteRunner, disableRunner, enableRunner, updateRunner } from './runners.writes.ts';

const scopes = ['manage_runner'];
const list = { input: runnerFilters, success: { status: 200, schema: Type.Array(Runner) }, errors: [400] } as const;

function answer(c: BaseContext & { input: Parameters<typeof filtered>[2] }, query: ReturnType<typeof allRunners>) {
  const { deps } = c;
  return c.page(filtered(query, deps, c.input), (rows) => presentRunners(deps, rows));
}

/** Administration of runners. */
export const runnerRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/runners',
    summary: 'List the runners that the caller administers',
    description:
      'Runners of projects where the caller is at least Maintainer, and of groups where the caller is Owner.',
    access: signedIn,
    scopes,
    ...list,
    handler: (c) => answer(c, ownRunners(c.deps, c.caller.user.id)),
  }),
  route({
    method: 'GET',
    path: '/runners/all',
    summary: 'List all runners',
    access: administrator,
    scopes,
    ...list,
    handler: (c) => answer(c, allRunners(c.deps)),
  }),
  route({
    method: 'GET',
    path: '/projects/:id/runners',
    summary: 'List the runners available to a project',
    access: inProject('read_runners'),
    scopes,
    ...list,
    handler: (c) => answer(c, runnersOfProject(c.deps, c.project, c.namespace)),
  }),
  route({
    method: 'GET',
    path: '/groups/:id/runners',
    summary: 'List the runners of a group, its ancestors and the instance',
    access: inGroup('read_group_runners'),
    scopes,
    ...list,
    handler: (c) => answer(c, runnersOfGroup(c.deps, c.group)),
  }),
  route({
    method: 'GET',
    path: '/runners/:runner_id',
    summary: 'Get a runner',
    access: runnerReader,
    scopes,
    input: optional({
      include_projects: Type.Boolean({ default: true, description: 'Include the projects of the runner.' }),
    }),
    success: { status: 200, schema: RunnerDetails },
    handler: ({ deps, caller, runner, input }) => presentRunner(deps, caller, runner, input.include_projects),
  }),
  route({
    method: 'GET',
    path: '/runners/:runner_id/managers',
    summary: 'List the machines of a runner',
    access: runnerReader,
    scopes,
    input: Type.Object(pagination),
    success: { status: 200, schema: Type.Array(RunnerManager) },
    handler: (c) => {
      const query = c.deps.db
        .selectFrom('ci_runner_managers')
        .selectAll()
        .where('runner_id', '=', c.runner.id)
        .orderBy('id', 'desc');
      return c.page(query, (rows) => presentManagers(c.deps, [c.runner], rows));
    },
  }),
  route({
    method: 'GET',
    path: '/runners/:runner_id/projects',
    summary: 'List the projects that a runner works for',
    access: runnerReader,
    scopes,
    input: Type.Object(pagination),
    success: { status: 200, schema: Type.Array(SimpleProject) },
    handler: (c) =>
      c.page(projectsOfRunner(c.deps, c.caller, c.runner.id), (rows) =>
        presentProjects(c.deps, c.caller, rows, { simple: true }),
      ),
  }),
  route({
    method: 'GET',
    path: '/runners/:runner_id/jobs',
    summary: 'List the jobs of a runner',
    description:
      'Only jobs of projects where the caller is at least Reporter. Jobs are not counted: the response has no total headers.',
    access: runnerReader,
    scopes,
    input: Type.Object({
      ...optional({
        system_id: Type.String({ description: 'Only jobs of the machine with this system id.' }),
        status: Enum(STATES),
        order_by: Enum(['id']),
        sort: Enum(['asc', 'desc'], { default: 'desc' }),
        cursor: Type.String(),
        pagination: Enum(['keyset'], { description: '`keyset` pages by id instead of by page number.' }),
      }).properties,
      ...pagination,
    }),
    success: { status: 200, schema: Type.Array(RunnerJob) },
    handler: (c) => {
      const { input } = c;
      const keyset = input.pagination === 'keyset' || input.cursor !== undefined;
      const filters = {
        status: input.status,
        systemId: input.system_id,
        sort: input.sort ?? 'desc',
        after: readIdCursor(input.cursor),
      };
      const query = jobsOfRunner(c.deps, c.caller, c.runner, filters);
      return c.page(keyset ? byKeyset(query, ({ id }) => ({ cursor: id })) : uncounted(query), (rows) =>
        withProjects(c, rows),
      );
    },
  }),
  route({
    method: 'PUT',
    path: '/runners/:runner_id',
    summary: 'Update a runner',
    access: runnerUpdater,
    scopes,
    input: runnerChange,
    success: { status: 200, schema: RunnerDetails },
    handler: async ({ deps, caller, runner, input }) =>
      presentRunner(deps, caller, await updateRunner(deps, runner, input)),
  }),
  route({
    method: 'DELETE',
    path: '/runners/:runner_id',
    summary: 'Delete a runner',
    access: runnerUpdater,
    scopes,
    success: { status: 204, empty: true },
    errors: [412],
    handler: ({ deps, caller, runner, request }) => {
      checkUnmodifiedSince(request, runner.updated_at);
      return deleteRunner(deps, caller, runner);
    },
  }),
  route({
    method: 'POST',
    path: '/runners/:runner_id/reset_authentication_token',
    summary: 'Reset the token of a runner',
    access: runnerUpdater,
    scopes,
    success: { status: 201, schema: RenewedRunnerToken },
    handler: ({ deps, runner }) => resetRunnerToken(deps, runner),
  }),
  route({
    method: 'POST',
    path: '/projects/:id/runners',
    operationId: 'enableProjectRunner',
    summary: 'Assign a runner to a project',
    access: inProject('admin_runners'),
    scopes,
    input: Type.Object(runnerId),
    success: { status: 201, schema: Runner },
    errors: [400, 404],
    handler: async ({ deps, caller, project, input }) => {
      const runner = await enableRunner(deps, { caller: requireUser(caller), project }, input.runner_id);
      const [shown] = await presentRunners(deps, [runner]);
      return shown;
    },
  }),
  route({
    method: 'DELETE',
    path: '/projects/:id/runners/:runner_id',
    operationId: 'disableProjectRunner',
    summary: 'Unassign a runner from a project',
    access: inProject('admin_runners'),
    scopes,
    params: Type.Object(runnerId),
    success: { status: 204, empty: true },
    handler: ({ deps, project, params }) => disableRunner(deps, params.runner_id, project),
  }),
];

/** Adds the projects to jobs. */
async function withProjects({ deps, caller }: BaseContext, rows: Parameters<typeof presentJobs>[1]) {
  const ids = [...new Set(rows.map(({ project_id }) => project_id))];
  const projects = ids.length === 0 ? [] : await projectsOfIds(deps.db, { ids });
  const shown = new Map(
    (await presentProjects(deps, caller, projects, { simple: true })).map((project) => [project.id, project]),
  );
  const of = new Map(rows.map(({ id, project_id }) => [id, shown.get(project_id)]));
  return (await presentJobs(deps, rows)).flatMap((job) => {
    const project = of.get(job.id);
    if (project === undefined) return [];
    const { id, name, name_with_namespace, path, path_with_namespace } = project;
    return [{ ...job, project: { id, name, name_with_namespace, path, path_with_namespace } }];
  });
}
