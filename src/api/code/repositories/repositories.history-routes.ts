import { Type } from 'typebox';
import { findProject } from '../../../access/lookup.ts';
import { projectPermissions } from '../../../access/permissions.ts';
import { forbidden, refused } from '../../../core/core.errors.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import { type BaseContext, route } from '../../../http/http.route.ts';
import { Enum, Filled, List, pagination } from '../../../http/http.schema.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { inProject, type ProjectScope } from '../../api.access.ts';
import { Commit } from '../commits/commits.responses.ts';
import { compareRevisions, findMergeBase } from './repositories.compare.ts';
import { CONTRIBUTOR_ORDERS, contributorPage } from './repositories.contributors.ts';
import { OptionalRef } from './repositories.inputs.ts';
import { Compare, Contributor } from './repositories.responses.ts';

const readable = inProject('read_code', { anonymous: true });

export const historyRoutes = [
  route({
    method: 'GET',
    path: '/projects/:id/repository/compare',
    operationId: 'compareProjectRefs',
    summary: 'Compare branches, tags or commits',
    access: readable,
    expensive: true,
    input: Type.Object({
      from: Filled({ description: 'Branch, tag or commit to compare from.' }),
      to: Filled({ description: 'Branch, tag or commit to compare to.' }),
      from_project_id: Type.Optional(
        Type.Integer({
          description: 'Id of the project of `from`, in the same fork network; this project when absent.',
        }),
      ),
      straight: Type.Optional(
        Type.Boolean({ default: false, description: 'Compare with `from` itself instead of the merge base.' }),
      ),
      unidiff: Type.Optional(
        Type.Boolean({ default: false, description: 'Diffs in unified format, with `---` and `+++` lines.' }),
      ),
    }),
    success: { status: 200, schema: Compare },
    errors: [400, 403, 404, 429],
    handler: async (c) =>
      compareRevisions(c.deps, c.project, {
        from: c.input.from,
        to: c.input.to,
        fromProject: await findFromProject(c, c.input.from_project_id),
        straight: c.input.straight === true,
        unidiff: c.input.unidiff === true,
      }),
  }),
  route({
    method: 'GET',
    path: '/projects/:id/repository/contributors',
    summary: 'List the contributors of a repository',
    access: readable,
    cacheable: [],
    input: Type.Object({
      ...OptionalRef,
      order_by: Type.Optional(Enum(CONTRIBUTOR_ORDERS, { default: 'commits' })),
      sort: Type.Optional(Enum(['asc', 'desc'], { default: 'asc' })),
      ...pagination,
    }),
    success: { status: 200, schema: Type.Array(Contributor) },
    errors: [400, 404],
    handler: (c) => {
      const { ref, order_by: orderBy = 'commits', sort } = c.input;
      const options = { ref, orderBy, descending: sort === 'desc' };
      return c.page((page) => contributorPage(c.deps, repositoryOf(c.deps, c.project), options, page));
    },
  }),
  route({
    method: 'GET',
    path: '/projects/:id/repository/merge_base',
    summary: 'Get the merge base of two or more branches, tags or commits',
    access: readable,
    input: Type.Object({
      refs: List(Type.String(), { maxItems: 50, description: 'At least two branches, tags or commits.' }),
    }),
    success: { status: 200, schema: Commit },
    errors: [400, 404],
    handler: ({ deps, project, input }) => findMergeBase(deps, project, input.refs),
  }),
];

const networkOf = ({ id, fork_root_id }: Project): number => fork_root_id ?? id;

/**
 * Returns the project of `from`: one in the same fork network that the caller may see.
 * @throws ApiError 400 for any other, 403 if the caller may not read its code
 */
async function findFromProject(c: BaseContext & ProjectScope, id: number | undefined): Promise<Project> {
  if (id === undefined || id === c.project.id) return c.project;
  const project = await findProject(c.deps, String(id));
  const rights = project && (await projectPermissions(c.deps, c.caller, project.project, project.namespace));
  const related = project !== undefined && networkOf(project.project) === networkOf(c.project);
  if (!project || !related || !rights?.can('read_project')) {
    throw refused(`Target project id:${id} is not a fork of project id:${c.project.id}`);
  }
  if (!rights.can('read_code')) throw forbidden('You do not have access to the code of the other project');
  return project.project;
}
