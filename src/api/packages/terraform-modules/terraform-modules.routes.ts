import { Type } from 'typebox';
import { notFound } from '../../../core/core.errors.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import { type BaseContext, type Route, route } from '../../../http/http.route.ts';
import { Enum } from '../../../http/http.schema.ts';
import { anyone } from '../../api.access.ts';
import { UPLOAD_BODY } from '../receive-upload.ts';
import { publishes, readsRegistry } from '../registries.access.ts';
import { CHALLENGED, READ_PACKAGES, WRITE_PACKAGES } from '../registries.credentials.ts';
import { CREATED, CreatedMessage } from '../registries.responses.ts';
import { sendPackageFile } from '../registries.send-file.ts';
import {
  archiveQuery,
  DOWNLOAD_TOKEN_CREDENTIALS,
  rejectDownloadToken,
  requireDownloadToken,
} from './download-tokens.ts';
import { archiveOf, findModule } from './terraform-modules.find.ts';
import type { ModuleName } from './terraform-modules.names.ts';
import { namespaceModuleRoutes, params, versionParams } from './terraform-modules.namespace-routes.ts';
import { storeModule } from './terraform-modules.upload.ts';

const MODULE = '/projects/:id/packages/terraform/modules/:module_name/:module_system';

const shared = { tag: 'Terraform modules', credentials: CHALLENGED } as const;

const reading = {
  ...shared,
  method: 'GET',
  access: readsRegistry,
  scopes: READ_PACKAGES,
  input: Type.Object({
    'terraform-get': Type.Optional(
      Enum(['1'], { description: 'Set by Terraform for sources that are URLs: requests the location of the archive.' }),
    ),
  }),
  success: {
    status: 200,
    contentType: 'application/octet-stream',
    description: 'The archive, a compressed tar.',
  },
  otherSuccess: {
    status: 204,
    empty: true,
    description: 'With `terraform-get=1`.',
    headers: { 'X-Terraform-Get': Type.String({ description: 'URL of the archive.' }) },
  },
} as const;

type Context = BaseContext & { project: Project; params: ModuleName; input: { 'terraform-get'?: '1' } };

async function sendModule(c: Context, version: string | undefined) {
  const { project, params: name, reply } = c;
  const row = await findModule(c, { projectId: project.id }, name, version);
  if (row === undefined) throw notFound('Package');
  if (c.input['terraform-get'] === undefined) {
    await requireDownloadToken(c, row);
    return sendPackageFile(c, await archiveOf(c, name, row));
  }
  // Otherwise a token for one version could be exchanged for others, without end.
  await rejectDownloadToken(c);
  const path = [name.module_name, name.module_system, row.version!].map(encodeURIComponent).join('/');
  const url = `${c.deps.externalUrl()}/api/v4/projects/${project.id}/packages/terraform/modules/${path}`;
  reply.code(204).header('X-Terraform-Get', url + (await archiveQuery(c, row)));
  return reply.send();
}

/** Modules for Terraform and OpenTofu (part 1, section 4.7). */
export const terraformModuleRoutes: readonly Route[] = [
  route({
    method: 'GET',
    root: true,
    path: '/.well-known/terraform.json',
    tag: 'Terraform modules',
    operationId: 'getTerraformServices',
    summary: 'Get the service discovery document for Terraform',
    access: anyone,
    success: {
      status: 200,
      schema: Type.Object({
        'modules.v1': Type.String({
          description: 'Path of the module registry protocol on this host.',
          examples: ['/api/v4/packages/terraform/modules/v1/'],
        }),
      }),
    },
    handler: ({ deps }) => {
      const { pathname } = new URL(deps.externalUrl());
      return { 'modules.v1': `${pathname.replace(/\/$/, '')}/api/v4/packages/terraform/modules/v1/` };
    },
  }),
  ...namespaceModuleRoutes,
  route({
    ...reading,
    path: MODULE,
    operationId: 'downloadProjectLatestTerraformModule',
    summary: 'Download the latest version of a Terraform module of a project',
    params,
    handler: (c) => sendModule(c, undefined),
  }),
  route({
    ...reading,
    path: `${MODULE}/:module_version`,
    credentials: DOWNLOAD_TOKEN_CREDENTIALS,
    operationId: 'downloadProjectTerraformModule',
    summary: 'Download a Terraform module of a project',
    params: versionParams,
    handler: (c) => sendModule(c, c.params.module_version),
  }),
  route({
    ...shared,
    method: 'PUT',
    path: `${MODULE}/:module_version/file`,
    operationId: 'uploadTerraformModule',
    summary: 'Publish a Terraform module',
    description:
      'A version can be published only once. Name and target system of a module are unique below a top-level group.',
    access: publishes,
    scopes: WRITE_PACKAGES,
    params: versionParams,
    body: UPLOAD_BODY,
    success: { status: 201, schema: CreatedMessage },
    errors: [422],
    handler: async (c) => {
      await storeModule(c, c.project, c.params, c.params.module_version);
      return CREATED;
    },
  }),
];
