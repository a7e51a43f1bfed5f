import { Type } from 'typebox';
import { findProject } from '../../../access/lookup.ts';
import { invalidModel, notFound } from '../../../core/core.errors.ts';
import { isUniqueViolation } from '../../../db/db.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import { route } from '../../../http/http.route.ts';
import { Filled, pagination } from '../../../http/http.schema.ts';
import { administrator, onServer } from '../../api.access.ts';

const ProjectAlias = Type.Object({ id: Type.Integer(), project_id: Type.Integer(), name: Type.String() });
const byName = Type.Object({ name: Type.String({ description: 'Name of the alias.' }) });
/** Valid project paths, since an alias replaces one. */
const NAME = /^[A-Za-z0-9_.][A-Za-z0-9_.-]*$/;

async function aliasOf(db: Db, name: string) {
  const alias = await db.selectFrom('project_aliases').selectAll().where('name', '=', name).executeTakeFirst();
  if (alias === undefined) throw notFound('Project Alias');
  return alias;
}

/** Aliases of projects. */
export const projectAliasRoutes = [
  route({
    method: 'GET',
    path: '/project_aliases',
    plan: 'premium',
    summary: 'List the project aliases',
    access: administrator,
    input: Type.Object(pagination),
    success: { status: 200, schema: Type.Array(ProjectAlias) },
    handler: (c) => {
      const query = c.deps.db.selectFrom('project_aliases').selectAll().orderBy('id');
      return c.page(query);
    },
  }),
  route({
    method: 'GET',
    path: '/project_aliases/:name',
    plan: 'premium',
    summary: 'Get a project alias',
    access: administrator,
    params: byName,
    success: { status: 200, schema: ProjectAlias },
    errors: [404],
    handler: ({ deps, params }) => aliasOf(deps.db, params.name),
  }),
  route({
    method: 'POST',
    path: '/project_aliases',
    plan: 'premium',
    summary: 'Create a project alias',
    access: onServer('admin_project_aliases'),
    input: Type.Object({
      project_id: Filled({ description: 'Id or full path of the project.' }),
      name: Filled({ maxLength: 255, description: 'Name of the alias: letters, digits, `_`, `-` and `.`.' }),
    }),
    success: { status: 201, schema: ProjectAlias },
    errors: [404],
    handler: async ({ deps, input: { project_id: idOrPath, name } }) => {
      const project = await findProject(deps, idOrPath);
      if (project === undefined) throw notFound('Project');
      if (!NAME.test(name) || /\.(?:git|atom)$/i.test(name)) throw invalidModel({ name: ['is invalid'] });
      try {
        return await deps.db
          .insertInto('project_aliases')
          .values({ project_id: project.project.id, name })
          .returningAll()
          .executeTakeFirstOrThrow();
      } catch (error) {
        if (isUniqueViolation(error)) throw invalidModel({ name: ['has already been taken'] });
        throw error;
      }
    },
  }),
  route({
    method: 'DELETE',
    path: '/project_aliases/:name',
    plan: 'premium',
    summary: 'Delete a project alias',
    access: onServer('admin_project_aliases'),
    params: byName,
    success: { status: 204, empty: true },
    errors: [404],
    handler: async ({ deps, params }) => {
      const { id } = await aliasOf(deps.db, params.name);
      await deps.db.deleteFrom('project_aliases').where('id', '=', id).execute();
    },
  }),
];
