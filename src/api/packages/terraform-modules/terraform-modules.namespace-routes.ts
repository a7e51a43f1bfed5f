import { Type } from 'typebox';
import { ApiError } from '../../../core/core.errors.ts';
import type { Package } from '../../../db/tables/packages.table.ts';
import type { BaseContext, Route } from '../../../http/http.route.ts';
import { route } from '../../../http/http.route.ts';
import { blobSuccess } from '../../../http/send-blob.ts';
import { CHALLENGED, READ_PACKAGES } from '../registries.credentials.ts';
import { sendPackageFile } from '../registries.send-file.ts';
import { archiveQuery, DOWNLOAD_TOKEN_CREDENTIALS, requireDownloadToken } from './download-tokens.ts';
import { type ModuleScope, missingModule, readsModules } from './namespace-access.ts';
import { archiveOf, findModule, moduleVersions } from './terraform-modules.find.ts';
import type { ModuleName } from './terraform-modules.names.ts';
import {
  ModuleVersions,
  presentModule,
  presentVersions,
  sourceOf,
  TerraformModule,
} from './terraform-modules.responses.ts';

const BASE = '/packages/terraform/modules/v1';
const MODULE = `${BASE}/:module_namespace/:module_name/:module_system`;

const shared = {
  method: 'GET',
  tag: 'Terraform modules',
  access: readsModules,
  credentials: CHALLENGED,
  scopes: READ_PACKAGES,
  errors: [404],
} as const;

/** Path parameters of a module, and of a version. */
export const params = Type.Object({ module_name: Type.String(), module_system: Type.String() });
export const versionParams = Type.Object({ ...params.properties, module_version: Type.String() });

type Context = BaseContext & ModuleScope & { params: ModuleName & { module_namespace?: string } };

/** @throws ApiError 401, 404 */
async function requireModule(c: Context, version?: string): Promise<Package> {
  const row = await findModule(c, { readable: c.readable }, c.params, version);
  if (row === undefined) throw missingModule(c.caller);
  return row;
}

/** Path and query of a version's URL. */
function address({ deps, request }: BaseContext, { module_name, module_system }: ModuleName, rest: string): string {
  // As in the request: an id or a path.
  const [, namespace = ''] = /\/modules\/v1\/([^/]+)\//.exec(request.url) ?? [];
  const { pathname } = new URL(deps.externalUrl());
  const root = `${pathname.replace(/\/$/, '')}/api/v4${BASE}`;
  return `${root}/${namespace}/${encodeURIComponent(module_name)}/${encodeURIComponent(module_system)}/${rest}`;
}

/** The module registry protocol of Terraform and OpenTofu. */
export const namespaceModuleRoutes: readonly Route[] = [
  route({
    ...shared,
    path: `${MODULE}/versions`,
    operationId: 'listTerraformModuleVersions',
    summary: 'List the versions of a Terraform module',
    params,
    success: { status: 200, schema: ModuleVersions },
    handler: async (c) => {
      const rows = await moduleVersions(c, { readable: c.readable }, c.params);
      const last = rows.at(-1);
      if (last === undefined) throw missingModule(c.caller);
      return presentVersions(await sourceOf(c.deps, last), c.params, rows);
    },
  }),
  route({
    ...shared,
    path: `${MODULE}/download`,
    operationId: 'downloadLatestTerraformModule',
    summary: 'Redirect to the latest version of a Terraform module',
    params,
    success: {
      status: 302,
      empty: true,
      headers: { Location: Type.String({ description: 'URL that returns the location of the archive.' }) },
    },
    handler: async (c) => {
      const row = await findModule(c, { readable: c.readable }, c.params, undefined);
      if (row === undefined) {
        const error = `No version found for ${c.params.module_name} module`;
        throw c.caller.credential.kind === 'none' ? missingModule(c.caller) : new ApiError(404, error, { error });
      }
      c.reply.header('Location', address(c, c.params, `${encodeURIComponent(row.version!)}/download`));
    },
  }),
  route({
    ...shared,
    path: MODULE,
    operationId: 'getLatestTerraformModule',
    summary: 'Get the latest version of a Terraform module',
    params,
    success: { status: 200, schema: TerraformModule },
    handler: async (c) => {
      const row = await requireModule(c);
      return presentModule(await sourceOf(c.deps, row), c.params, row);
    },
  }),
  route({
    ...shared,
    path: `${MODULE}/:module_version`,
    operationId: 'getTerraformModule',
    summary: 'Get a version of a Terraform module',
    params: versionParams,
    success: { status: 200, schema: TerraformModule },
    handler: async (c) => {
      const row = await requireModule(c, c.params.module_version);
      return presentModule(await sourceOf(c.deps, row), c.params, row);
    },
  }),
  route({
    ...shared,
    path: `${MODULE}/:module_version/download`,
    operationId: 'locateTerraformModule',
    summary: 'Get the location of the archive of a Terraform module',
    description:
      'The URL contains a token for downloading this version, valid for five minutes, because Terraform sends no credentials there.',
    params: versionParams,
    success: {
      status: 204,
      empty: true,
      headers: { 'X-Terraform-Get': Type.String({ description: 'URL of the archive.' }) },
    },
    handler: async (c) => {
      const row = await requireModule(c, c.params.module_version);
      const path = `${encodeURIComponent(row.version!)}/file${await archiveQuery(c, row)}`;
      c.reply.header('X-Terraform-Get', address(c, c.params, path));
    },
  }),
  route({
    ...shared,
    ...blobSuccess('application/octet-stream', 'The archive, a compressed tar.'),
    path: `${MODULE}/:module_version/file`,
    operationId: 'downloadTerraformModule',
    summary: 'Download a Terraform module',
    credentials: DOWNLOAD_TOKEN_CREDENTIALS,
    params: versionParams,
    handler: async (c) => {
      const row = await requireModule(c, c.params.module_version);
      await requireDownloadToken(c, row);
      return sendPackageFile(c, await archiveOf(c, c.params, row));
    },
  }),
];
