import { Type } from 'typebox';
import type { Caller } from '../../../access/caller.ts';
import { findProject } from '../../../access/lookup.ts';
import { type ProjectPermissions, projectPermissions } from '../../../access/permissions.ts';
import { today } from '../../../core/clock.ts';
import { forbidden, notFound } from '../../../core/core.errors.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { type Route, route } from '../../../http/http.route.ts';
import { pagination } from '../../../http/http.schema.ts';
import { anyone, inProject } from '../../api.access.ts';
import {
  DESCRIPTION_FOLDERS,
  type DescriptionKind,
  descriptionKeys,
  descriptionText,
} from './description-templates.ts';
import { FileTemplate, LicenceTemplate, TemplateName } from './file-templates.responses.ts';
import type { Blanks } from './licences.ts';
import { FILE_KINDS, type FileKind, shippedKeys, shippedText } from './shipped-files.ts';

const fileKinds = Object.keys(FILE_KINDS) as FileKind[];
const CALLED = { dockerfiles: 'Dockerfile', gitignores: 'Gitignore', gitlab_ci_ymls: 'GitlabCiYml' } as const;

const blanks = {
  project: Type.Optional(Type.String({ description: 'Name of the project, in the text of a licence.' })),
  fullname: Type.Optional(
    Type.String({ description: "Name of the copyright holder, in the text of a licence; the caller's by default." }),
  ),
};
const key = { key: Type.String({ description: 'Key of the template.' }) };

const blanksOf = (deps: Deps, { user }: Caller, input: Omit<Blanks, 'year'>): Blanks => ({
  year: today(deps.clock).slice(0, 4),
  project: input.project,
  fullname: input.fullname || user?.name,
});

/** Loaded when a licence is asked for. */
const licences = () => import('./licences.ts');

const named = (keys: readonly string[]) => keys.map((each) => ({ key: each, name: each }));

const instanceRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/templates/licenses',
    operationId: 'listLicenseTemplates',
    summary: 'List licences',
    access: anyone,
    input: Type.Object({
      popular: Type.Optional(Type.Boolean({ description: 'Only the licences that are shown first.' })),
      ...pagination,
    }),
    success: { status: 200, schema: Type.Array(LicenceTemplate) },
    handler: async (c) => {
      const { licenceKeys, licencesOf } = await licences();
      return c.page(licenceKeys(c.input.popular === true), licencesOf);
    },
  }),
  route({
    method: 'GET',
    path: '/templates/licenses/:key',
    operationId: 'getLicenseTemplate',
    summary: 'Get the text of a licence',
    access: anyone,
    params: Type.Object(key),
    input: Type.Object(blanks),
    success: { status: 200, schema: LicenceTemplate },
    errors: [404],
    handler: async ({ deps, caller, params, input }) => {
      const licence = await (await licences()).licenceOf(params.key.toLowerCase(), blanksOf(deps, caller, input));
      if (licence === undefined) throw notFound('License');
      return licence;
    },
  }),
  ...fileKinds.flatMap((kind): Route[] => [
    route({
      method: 'GET',
      path: `/templates/${kind}`,
      operationId: `list${CALLED[kind]}Templates`,
      summary: `List templates of the kind ${kind}`,
      access: anyone,
      input: Type.Object(pagination),
      success: { status: 200, schema: Type.Array(TemplateName) },
      handler: async (c) => c.page(await shippedKeys(kind), named),
    }),
    route({
      method: 'GET',
      path: `/templates/${kind}/:key`,
      operationId: `get${CALLED[kind]}Template`,
      summary: `Get a template of the kind ${kind}`,
      access: anyone,
      params: Type.Object(key),
      success: { status: 200, schema: FileTemplate },
      errors: [404],
      handler: async ({ params }) => {
        const content = await shippedText(kind, params.key);
        if (content === undefined) throw notFound(CALLED[kind]);
        return { name: params.key, content };
      },
    }),
  ]),
];

const isDescription = (type: string): type is DescriptionKind => Object.hasOwn(DESCRIPTION_FOLDERS, type);
const isFileKind = (type: string): type is FileKind => Object.hasOwn(FILE_KINDS, type);

const type = {
  type: Type.Union(
    [...fileKinds, 'licenses' as const, 'issues' as const, 'merge_requests' as const].map((each) => Type.Literal(each)),
    { description: 'Kind of the templates.' },
  ),
};

/** Texts of issues and merge requests are files of the project. @throws ApiError 403 */
function requireDescriptions({ permissions }: { permissions: ProjectPermissions }, kind: DescriptionKind): void {
  const ability = kind === 'issues' ? 'read_issue' : 'read_merge_request';
  if (!permissions.can('read_code') || !permissions.can(ability)) throw forbidden();
}

/** The project that a text is taken from: another one if the request says so. @throws ApiError 403, 404 */
async function sourceOf(
  deps: Deps,
  c: { caller: Caller; project: Project; permissions: ProjectPermissions },
  kind: DescriptionKind,
  sourceId: number | undefined,
): Promise<Project> {
  requireDescriptions(c, kind);
  if (sourceId === undefined || sourceId === c.project.id) return c.project;
  const source = await findProject(deps, String(sourceId));
  const permissions = source && (await projectPermissions(deps, c.caller, source.project, source.namespace));
  if (source === undefined || permissions?.can('read_project') !== true) throw notFound('Project');
  requireDescriptions({ permissions }, kind);
  return source.project;
}

const projectRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/projects/:id/templates/:type',
    operationId: 'listProjectTemplates',
    summary: 'List the templates of a kind in a project',
    description:
      'Those of issues and merge requests are files of its default branch, in `.gitlab/issue_templates` and `.gitlab/merge_request_templates`.',
    access: inProject('read_project', { anonymous: true }),
    params: Type.Object(type),
    input: Type.Object(pagination),
    success: { status: 200, schema: Type.Array(TemplateName) },
    errors: [403],
    handler: async (c) => {
      const { type: kind } = c.params;
      if (isDescription(kind)) {
        requireDescriptions(c, kind);
        return c.page(await descriptionKeys(c.deps, c.project, kind), named);
      }
      if (isFileKind(kind)) return c.page(await shippedKeys(kind), named);
      const { licenceKeys, licencesOf } = await licences();
      return c.page(licenceKeys(), async (keys) => {
        const all = await licencesOf(keys);
        return all.map(({ key: each, name }) => ({ key: each, name }));
      });
    },
  }),
  route({
    method: 'GET',
    path: '/projects/:id/templates/:type/:name',
    operationId: 'getProjectTemplate',
    summary: 'Get a template of a project',
    access: inProject('read_project', { anonymous: true }),
    params: Type.Object({ ...type, name: Type.String({ description: 'Key of the template.' }) }),
    input: Type.Object({
      source_template_project_id: Type.Optional(
        Type.Integer({ description: 'Id of the project that has the template of an issue or merge request.' }),
      ),
      ...blanks,
    }),
    success: { status: 200, schema: Type.Union([LicenceTemplate, FileTemplate]) },
    errors: [403, 404],
    handler: async (c) => {
      const { deps, params, input } = c;
      const { type: kind, name } = params;
      if (kind === 'licenses') {
        const licence = await (await licences()).licenceOf(name.toLowerCase(), blanksOf(deps, c.caller, input));
        if (licence === undefined) throw notFound('Template');
        return licence;
      }
      const content = isDescription(kind)
        ? await descriptionText(deps, await sourceOf(deps, c, kind, input.source_template_project_id), kind, name)
        : await shippedText(kind as FileKind, name);
      if (content === undefined) throw notFound('Template');
      return { name, content };
    },
  }),
];

/** Texts that files, issues and merge requests begin with. */
export const templateRoutes: readonly Route[] = [...instanceRoutes, ...projectRoutes];
