import { Type } from 'typebox';
import { notFound } from '../../../core/core.errors.ts';
import { type Route, route } from '../../../http/http.route.ts';
import { blobSuccess } from '../../../http/send-blob.ts';
import { destroyPackages } from '../../../packages/package-registry.destroy.ts';
import { findVersion } from '../../../packages/package-registry.find.ts';
import { anyone, inProject } from '../../api.access.ts';
import { UPLOAD_BODY } from '../receive-upload.ts';
import { publishes, readsGroupRegistry, readsRegistry } from '../registries.access.ts';
import { READ_PACKAGES, WRITE_PACKAGES } from '../registries.credentials.ts';
import { CREATED, CreatedMessage } from '../registries.responses.ts';
import { NUGET } from './nuget.credentials.ts';
import { groupFeed, projectFeed } from './nuget.find.ts';
import { registration, search, sendVersionFile, versionList, versionMetadata } from './nuget.handlers.ts';
import { NamedPackage, OneVersion, SearchInput, VersionFile } from './nuget.inputs.ts';
import { nameKeyOf, versionKeyOf } from './nuget.names.ts';
import {
  PackageMetadata,
  PackageRegistration,
  PackageVersions,
  SearchResults,
  ServiceIndex,
} from './nuget.responses.ts';
import { storePackage } from './nuget.upload.ts';
import { v2Routes } from './nuget.v2-routes.ts';
import { presentServices } from './nuget.views.ts';

const shared = { tag: 'NuGet packages', credentials: NUGET } as const;
const reading = { ...shared, method: 'GET', scopes: READ_PACKAGES } as const;
const P = '/projects/:id/packages/nuget';
const G = '/groups/:id/-/packages/nuget';

const searching = { ...reading, input: SearchInput, success: { status: 200, schema: SearchResults } } as const;
const registered = {
  ...reading,
  params: Type.Object(NamedPackage),
  success: { status: 200, schema: PackageRegistration },
  errors: [429],
} as const;
const oneVersion = {
  ...reading,
  params: Type.Object({
    ...NamedPackage,
    version_document: Type.String({ description: 'Version, followed by `.json`.', examples: ['1.3.0.json'] }),
  }),
  success: { status: 200, schema: PackageMetadata },
} as const;
const pushed = {
  ...shared,
  method: 'PUT',
  access: publishes,
  scopes: WRITE_PACKAGES,
  body: { ...UPLOAD_BODY, description: 'Multipart body with the file in the field `package`.' },
  success: { status: 201, schema: CreatedMessage },
} as const;

/** Contains only URLs, and is the same for every id, so that clients can request it without credentials. */
const services = (path: string, group: boolean) =>
  route({
    ...reading,
    path,
    operationId: `get${group ? 'Group' : 'Project'}NugetServiceIndex${path.endsWith('.json') ? '' : 'Short'}`,
    summary: `List the services of the NuGet source of a ${group ? 'group' : 'project'}`,
    description: 'Public and independent of the existence of the source: it contains URLs only.',
    access: anyone,
    params: Type.Object({
      id: Type.Integer({ minimum: 1, description: `Id of the ${group ? 'group' : 'project'}.` }),
    }),
    success: { status: 200, schema: ServiceIndex },
    handler: ({ deps, params }) => {
      const feedPath = group ? `/groups/${params.id}/-/packages/nuget` : projectFeed(params.id).path;
      return presentServices(`${deps.externalUrl()}/api/v4${feedPath}`, !group);
    },
  });

/** NuGet packages for dotnet and nuget (part 1, section 4.7; NuGet server API, version 3). */
export const nugetRoutes: readonly Route[] = [
  ...[`${P}/index.json`, `${P}/index`].map((path) => services(path, false)),
  ...[`${G}/index.json`, `${G}/index`].map((path) => services(path, true)),
  ...v2Routes,
  route({
    ...searching,
    path: `${P}/query`,
    operationId: 'searchProjectNugetPackages',
    summary: 'Search the NuGet packages of a project',
    access: readsRegistry,
    handler: (c) => search(c, projectFeed(c.project.id), c.input),
  }),
  route({
    ...searching,
    path: `${G}/query`,
    operationId: 'searchGroupNugetPackages',
    summary: 'Search the NuGet packages of a group',
    access: readsGroupRegistry,
    handler: async (c) => search(c, await groupFeed(c.deps, c.caller, c.group), c.input),
  }),
  route({
    ...registered,
    path: `${P}/metadata/:package_name/index.json`,
    operationId: 'getProjectNugetPackage',
    summary: 'List the versions of a NuGet package of a project',
    access: readsRegistry,
    handler: (c) => registration(c, projectFeed(c.project.id), c.params.package_name),
  }),
  route({
    ...registered,
    path: `${G}/metadata/:package_name/index.json`,
    operationId: 'getGroupNugetPackage',
    summary: 'List the versions of a NuGet package of a group',
    access: readsGroupRegistry,
    handler: async (c) => registration(c, await groupFeed(c.deps, c.caller, c.group), c.params.package_name),
  }),
  route({
    ...oneVersion,
    path: `${P}/metadata/:package_name/:version_document`,
    operationId: 'getProjectNugetVersion',
    summary: 'Get a version of a NuGet package of a project',
    access: readsRegistry,
    handler: (c) => versionMetadata(c, projectFeed(c.project.id), c.params.package_name, c.params.version_document),
  }),
  route({
    ...oneVersion,
    path: `${G}/metadata/:package_name/:version_document`,
    operationId: 'getGroupNugetVersion',
    summary: 'Get a version of a NuGet package of a group',
    access: readsGroupRegistry,
    handler: async (c) => {
      const feed = await groupFeed(c.deps, c.caller, c.group);
      return versionMetadata(c, feed, c.params.package_name, c.params.version_document);
    },
  }),
  route({
    ...reading,
    path: `${P}/download/:package_name/index.json`,
    operationId: 'listNugetPackageVersions',
    summary: 'List the downloadable versions of a NuGet package',
    access: readsRegistry,
    params: Type.Object(NamedPackage),
    success: { status: 200, schema: PackageVersions },
    handler: (c) => versionList(c, projectFeed(c.project.id), c.params.package_name),
  }),
  route({
    ...reading,
    ...blobSuccess('application/octet-stream', 'The file.'),
    path: `${P}/download/:package_name/:package_version/:package_filename`,
    operationId: 'downloadNugetPackage',
    summary: 'Download a NuGet package or its symbols',
    access: readsRegistry,
    params: VersionFile,
    handler: (c) => sendVersionFile(c, projectFeed(c.project.id), c.params),
  }),
  ...[P, `${P}/v2`].map((path) =>
    route({
      ...pushed,
      path,
      operationId: path === P ? 'pushNugetPackage' : 'pushNugetV2Package',
      summary: 'Push a NuGet package',
      description:
        'Metadata is read from the `.nuspec` in the file. If the version exists, both files are kept; downloads get the latest one.',
      handler: async (c) => {
        await storePackage(c, c.project, 'package');
        return CREATED;
      },
    }),
  ),
  route({
    ...pushed,
    path: `${P}/symbolpackage`,
    operationId: 'pushNugetSymbols',
    summary: 'Push the symbols of a NuGet package',
    description: 'Stored as a file of the version, which must exist.',
    handler: async (c) => {
      await storePackage(c, c.project, 'symbols');
      return CREATED;
    },
  }),
  ...[P, `${P}/v2`].map((path) =>
    route({
      ...shared,
      method: 'DELETE',
      path: `${path}/:package_name/:package_version`,
      operationId: path === P ? 'deleteNugetPackage' : 'deleteNugetV2Package',
      summary: 'Delete a version of a NuGet package',
      access: inProject('destroy_package'),
      scopes: WRITE_PACKAGES,
      params: OneVersion,
      success: { status: 204, empty: true },
      handler: async ({ deps, caller, project, params }) => {
        const { package_name: name, package_version: version } = params;
        const keys = { nameKey: nameKeyOf(name), versionKey: versionKeyOf(version) ?? '' };
        const row = await findVersion(deps.db, { projectId: project.id }, { type: 'nuget', ...keys });
        if (row === undefined) throw notFound('Package');
        await destroyPackages(deps, { caller, projectId: project.id }, [row.id]);
      },
    }),
  ),
];
