import { Type } from 'typebox';
import { badRequest, forbidden, invalidParameter, notFound } from '../../../core/core.errors.ts';
import { contains } from '../../../db/like.ts';
import type { Environment as Row } from '../../../db/tables/environments.table.ts';
import { checkUnmodifiedSince } from '../../../http/conditional.ts';
import { type BaseContext, type Route, route } from '../../../http/http.route.ts';
import { API_AND_JOB_TOKENS } from '../../../http/job-tokens.ts';
import { stopActionOf, stopEnvironment } from '../../../pipelines/environments/stop-environment.ts';
import { inProject, inProjectByUser } from '../../api.access.ts';
import { onObject, type ProjectObject } from '../../object-access.ts';
import { mayRun } from '../ci.run-rights.ts';
import { presentEnvironmentBasic } from '../deployments/deployments.views.ts';
import { createEnvironment } from './environments.create.ts';
import {
  changedEnvironment,
  deleteReviewApps,
  EnvironmentId,
  listEnvironments,
  newEnvironment,
  stopInput,
  stopStale,
} from './environments.inputs.ts';
import { environmentsOf, findEnvironment } from './environments.queries.ts';
import { Environment, EnvironmentBasic, EnvironmentDetails, EnvironmentListEntry } from './environments.responses.ts';
import { presentDetails, presentEntry, presentEnvironment } from './environments.views.ts';
import { oldReviewApps, stopStaleEnvironments, updateEnvironment } from './environments.writes.ts';

const PATH = '/projects/:id/environments';
const ONE = `${PATH}/:environment_id`;
const credentials = API_AND_JOB_TOKENS;
const MIN_SEARCH = 3;
const DAY_MS = 86_400_000;

const environmentObject: ProjectObject<typeof EnvironmentId, { environment: Row }> = {
  noun: 'environment',
  sees: 'read_environment',
  params: EnvironmentId,
  find: async (deps, { project }, { environment_id }) => ({
    environment: await findEnvironment(deps.db, project.id, environment_id),
  }),
};

/** @throws ApiError 400 if a slug is given: it is derived from the name */
function refuseSlug(c: BaseContext): void {
  if (c.isSent('slug')) throw invalidParameter('slug is automatically generated and cannot be changed');
}

const daysAgo = (c: BaseContext, days: number): string =>
  new Date(c.deps.clock.now().getTime() - days * DAY_MS).toISOString();

/** Environments of projects. */
export const environmentRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: PATH,
    summary: 'List the environments of a project',
    access: inProject('read_environment'),
    credentials,
    input: listEnvironments,
    success: { status: 200, schema: Type.Array(EnvironmentListEntry) },
    handler: (c) => {
      const { name, search, states } = c.input;
      if (name !== undefined && search !== undefined) throw invalidParameter('name, search cannot be used together');
      if (search && search.length < MIN_SEARCH) {
        throw badRequest(`Search query is less than ${MIN_SEARCH} characters`);
      }
      let query = environmentsOf(c.deps.db, c.project.id);
      if (name !== undefined) query = query.where('name', '=', name);
      if (search) query = query.where((eb) => contains(eb.ref('name'), search));
      if (states !== undefined) query = query.where('state', '=', states);
      return c.page(query, (rows) => rows.map(presentEntry));
    },
  }),
  route({
    method: 'GET',
    path: ONE,
    summary: 'Get an environment',
    access: onObject(environmentObject, 'read_environment'),
    credentials,
    success: { status: 200, schema: EnvironmentDetails },
    handler: ({ deps, caller, project, environment }) => presentDetails(deps, caller, project, environment),
  }),
  route({
    method: 'POST',
    path: PATH,
    summary: 'Create an environment',
    access: inProjectByUser('create_environment'),
    credentials,
    input: newEnvironment,
    success: { status: 201, schema: Environment },
    handler: async (c) => {
      refuseSlug(c);
      const { slug: _slug, cluster_agent_id: _agent, ...input } = c.input;
      return presentEnvironment(c.deps, c.caller, c.project, await createEnvironment(c.deps, c.project.id, input));
    },
  }),
  route({
    method: 'PUT',
    path: ONE,
    summary: 'Update an environment',
    access: onObject(environmentObject, 'update_environment'),
    credentials,
    input: changedEnvironment,
    success: { status: 200, schema: Environment },
    handler: async (c) => {
      refuseSlug(c);
      const { slug: _slug, cluster_agent_id: _agent, ...input } = c.input;
      return presentEnvironment(c.deps, c.caller, c.project, await updateEnvironment(c.deps, c.environment, input));
    },
  }),
  route({
    method: 'DELETE',
    path: `${PATH}/review_apps`,
    summary: 'Delete the stopped review apps of a project',
    description: 'Deletes stopped environments in the folder `review/`; with `dry_run`, only lists them.',
    access: inProjectByUser('destroy_environment'),
    credentials,
    input: deleteReviewApps,
    success: {
      status: 202,
      schema: Type.Object({
        scheduled_entries: Type.Array(EnvironmentBasic, { description: 'Environments scheduled for deletion.' }),
        unprocessable_entries: Type.Array(EnvironmentBasic, { description: 'Environments that cannot be deleted.' }),
      }),
    },
    handler: async (c) => {
      const { before = daysAgo(c, 30), limit = 100, dry_run = true } = c.input;
      const rows = await oldReviewApps(c.deps, c.project.id, { before, limit, remove: !dry_run });
      return { scheduled_entries: rows.map(presentEnvironmentBasic), unprocessable_entries: [] };
    },
  }),
  route({
    method: 'DELETE',
    path: ONE,
    summary: 'Delete an environment',
    description: 'Deletes its deployments as well. The environment must be stopped first.',
    access: onObject(environmentObject, 'destroy_environment'),
    credentials,
    success: { status: 204, empty: true },
    errors: [412],
    handler: async ({ deps, environment, request }) => {
      checkUnmodifiedSince(request, environment.updated_at);
      await deps.db
        .deleteFrom('environments')
        .where('id', '=', environment.id)
        .where('state', '=', 'stopped')
        .returning('id')
        .executeTakeFirstOrThrow(() => forbidden());
    },
  }),
  route({
    method: 'POST',
    path: `${PATH}/stop_stale`,
    summary: 'Stop stale environments',
    access: inProjectByUser('stop_environment'),
    credentials,
    input: stopStale,
    success: { status: 200, schema: Type.Object({ message: Type.String() }) },
    handler: async (c) => {
      const { before } = c.input;
      if (before > daysAgo(c, 7) || before < daysAgo(c, 3_653)) throw badRequest('Invalid Date');
      await stopStaleEnvironments(c.deps, c.project.id, before);
      return { message: 'Successfully requested stop for all stale environments' };
    },
  }),
  route({
    method: 'POST',
    path: `${ONE}/stop`,
    summary: 'Stop an environment',
    description: 'Runs its stop jobs, if there are any; the state is `stopping` until they have ended.',
    access: onObject(environmentObject, 'stop_environment', {
      further: async (deps, scope) => {
        const action = await stopActionOf(deps.db, scope.environment.id);
        return action === null || mayRun(deps, scope, action.job);
      },
    }),
    credentials,
    input: stopInput,
    success: { status: 200, schema: Environment },
    handler: async ({ deps, caller, project, environment, input: { force = false } }) => {
      const stopped = await stopEnvironment(deps, environment.id, { userId: caller.user.id, force });
      if (stopped === undefined) throw notFound('Environment');
      return presentEnvironment(deps, caller, project, stopped);
    },
  }),
];
