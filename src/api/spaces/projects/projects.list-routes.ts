import { Type } from 'typebox';
import type { Caller } from '../../../access/caller.ts';
import { badRequest } from '../../../core/core.errors.ts';
import type { Project as ProjectRow } from '../../../db/tables/projects.table.ts';
import type { User } from '../../../db/tables/users.table.ts';
import { type BaseContext, route } from '../../../http/http.route.ts';
import { byKeyset, keysetUnavailable, type PageLimits } from '../../../http/listing.ts';
import { anyone, inProject } from '../../api.access.ts';
import { userByIdOrName } from '../../identity/index.ts';
import { KeysetProjectListInput, type ProjectFilters, ProjectListInput } from './projects.filters.ts';
import { type ListBase, projectList } from './projects.list.ts';
import { presentProjects } from './projects.page-views.ts';
import { Project } from './projects.responses.ts';

const Projects = Type.Array(Project);
const YEAR_MS = 365 * 24 * 3600 * 1000;

interface Shape {
  simple?: boolean;
  statistics?: boolean;
  with_custom_attributes?: boolean;
}

const optionsOf = (input: Shape) => ({
  simple: input.simple ?? false,
  statistics: input.statistics ?? false,
  customAttributes: input.with_custom_attributes ?? false,
  permissions: true,
});

function checkFilters(filters: ProjectFilters): void {
  const updated = filters.updated_after !== undefined || filters.updated_before !== undefined;
  if (updated && filters.order_by !== 'updated_at') {
    throw badRequest('`updated_at` filter and `updated_at` sorting must be paired');
  }
}

/** @throws ApiError 400 */
function listed(c: BaseContext, input: ProjectFilters, base?: ListBase) {
  checkFilters(input);
  return projectList(c.deps, c.caller, input, base);
}

const presented = (c: BaseContext, input: Shape) => (rows: readonly ProjectRow[]) =>
  presentProjects(c.deps, c.caller, rows, optionsOf(input));

const answerPage = async (c: BaseContext, input: ProjectFilters & Shape, base: ListBase, limits?: PageLimits) =>
  c.page(await listed(c, input, base), presented(c, input), limits);

/** Answers a page by id (silent parts, keyset pagination); the next page begins after the last id. */
async function answerKeyset(c: BaseContext, input: ProjectFilters & Shape) {
  if (input.order_by !== 'id') throw keysetUnavailable();
  const direction = input.sort === 'asc' ? 'id_after' : 'id_before';
  const list = byKeyset(await listed(c, input), ({ id }, size) => ({ [direction]: id, per_page: size }));
  return c.page(list, presented(c, input));
}

/** Whether the caller may see the activity of a user with a private profile. */
const seesProfile = (caller: Caller, user: User): boolean =>
  user.private_profile === 0 || caller.admin || caller.user?.id === user.id;

const userParams = Type.Object({ user_id: Type.String({ description: 'Id or name of the user.' }) });

export const projectListRoutes = [
  route({
    method: 'GET',
    path: '/projects',
    limit: { setting: 'projects_api_rate_limit_unauthenticated', periodSeconds: 600, anonymous: true },
    summary: 'List projects',
    description: 'All projects visible to the caller; anonymous callers get public projects with fewer fields.',
    access: anyone,
    input: KeysetProjectListInput,
    success: { status: 200, schema: Projects },
    errors: [405],
    handler: (c) => {
      if (c.input.pagination === 'keyset') return answerKeyset(c, c.input);
      return answerPage(c, c.input, {}, { offsetsOf: 'Project' });
    },
  }),
  route({
    method: 'GET',
    path: '/users/:user_id/projects',
    summary: "List the projects in a user's personal namespace",
    access: anyone,
    params: userParams,
    input: ProjectListInput,
    success: { status: 200, schema: Projects },
    errors: [404],
    handler: async (c) => answerPage(c, c.input, { ownerId: (await userByIdOrName(c.deps.db, c.params.user_id)).id }),
  }),
  route({
    method: 'GET',
    path: '/users/:user_id/starred_projects',
    summary: 'List the projects that a user has starred',
    access: anyone,
    params: userParams,
    input: ProjectListInput,
    success: { status: 200, schema: Projects },
    errors: [404],
    handler: async (c) => {
      const user = await userByIdOrName(c.deps.db, c.params.user_id);
      return answerPage(c, c.input, { starredById: seesProfile(c.caller, user) ? user.id : 0 });
    },
  }),
  route({
    method: 'GET',
    path: '/users/:user_id/contributed_projects',
    summary: 'List the projects that a user contributed to in the last year',
    access: anyone,
    params: userParams,
    input: ProjectListInput,
    success: { status: 200, schema: Projects },
    errors: [404],
    handler: async (c) => {
      const user = await userByIdOrName(c.deps.db, c.params.user_id);
      const since = new Date(c.deps.clock.now().getTime() - YEAR_MS).toISOString();
      return answerPage(c, c.input, { contributor: { userId: seesProfile(c.caller, user) ? user.id : 0, since } });
    },
  }),
  route({
    method: 'GET',
    path: '/projects/:id/forks',
    summary: 'List the forks of a project',
    access: inProject('read_project', { anonymous: true }),
    input: ProjectListInput,
    success: { status: 200, schema: Projects },
    handler: (c) => answerPage(c, c.input, { forkedFromId: c.project.id }),
  }),
];
