import { type Static, Type } from 'typebox';
import { recordNotFound } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { ResourceGroup as Row } from '../../../db/tables/resource-groups.table.ts';
import { type Route, route } from '../../../http/http.route.ts';
import { Enum, Nullable, optional, pagination } from '../../../http/http.schema.ts';
import { inProject } from '../../api.access.ts';
import { Job } from '../jobs/jobs.responses.ts';
import { presentJobs } from '../jobs/jobs.views.ts';
import { upcomingJobs } from './resource-groups.queries.ts';
import { PROCESS_MODES, ResourceGroup } from './resource-groups.responses.ts';
import { setProcessMode } from './resource-groups.writes.ts';

const PATH = '/projects/:id/resource_groups';
const ONE = `${PATH}/:key`;
const KEY = Type.Object({ key: Type.String({ description: 'Key of the resource group, URL-encoded.' }) });
const see = inProject('read_resource_group');

const present = ({ id, key, process_mode, created_at, updated_at }: Row): Static<typeof ResourceGroup> => ({
  id,
  key,
  process_mode,
  created_at,
  updated_at,
});

const groupsOf = (db: Db, projectId: number) =>
  db.selectFrom('resource_groups').selectAll().where('project_id', '=', projectId).orderBy('id');

/** @throws ApiError 404 */
async function find(db: Db, projectId: number, key: string): Promise<Row> {
  return groupsOf(db, projectId).where('key', '=', key).executeTakeFirstOrThrow(recordNotFound);
}

/** Resources that jobs of a project use one at a time. Jobs create resource groups by naming them. */
export const resourceGroupRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: PATH,
    summary: 'List the resource groups of a project',
    access: see,
    input: Type.Object(pagination),
    success: { status: 200, schema: Type.Array(ResourceGroup) },
    handler: (c) => c.page(groupsOf(c.deps.db, c.project.id), (rows) => rows.map(present)),
  }),
  route({
    method: 'GET',
    path: ONE,
    summary: 'Get a resource group',
    access: see,
    params: KEY,
    success: { status: 200, schema: ResourceGroup },
    handler: async ({ deps, project, params }) => present(await find(deps.db, project.id, params.key)),
  }),
  route({
    method: 'GET',
    path: `${ONE}/current_job`,
    summary: 'Get the job that holds a resource group',
    description: 'Null while the resource group is free.',
    access: see,
    params: KEY,
    success: { status: 200, schema: Nullable(Job) },
    handler: async ({ deps, project, params }) => {
      const { job_id } = await find(deps.db, project.id, params.key);
      if (job_id === null) return null;
      const rows = await deps.db.selectFrom('ci_jobs').selectAll().where('id', '=', job_id).execute();
      return (await presentJobs(deps, rows, project))[0] ?? null;
    },
  }),
  route({
    method: 'GET',
    path: `${ONE}/upcoming_jobs`,
    summary: 'List the jobs that wait for a resource group',
    description: 'In the order in which they will get it, as far as it is known.',
    access: see,
    params: KEY,
    input: Type.Object(pagination),
    success: { status: 200, schema: Type.Array(Job) },
    handler: async (c) => {
      const group = await find(c.deps.db, c.project.id, c.params.key);
      return c.page(upcomingJobs(c.deps.db, group), (rows) => presentJobs(c.deps, rows, c.project));
    },
  }),
  route({
    method: 'PUT',
    path: ONE,
    summary: 'Update the process mode of a resource group',
    access: inProject('update_resource_group'),
    params: KEY,
    input: optional({
      process_mode: Enum(PROCESS_MODES, { description: 'Order in which waiting jobs get the resource group.' }),
    }),
    success: { status: 200, schema: ResourceGroup },
    handler: async ({ deps, project, params, input }) => {
      const group = await find(deps.db, project.id, params.key);
      return present(await setProcessMode(deps, group, input.process_mode));
    },
  }),
];
