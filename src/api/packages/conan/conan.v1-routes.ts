import { type Access, type Route, route } from '../../../http/http.route.ts';
import { blobSuccess } from '../../../http/send-blob.ts';
import { anyone, inProject, type ProjectScope } from '../../api.access.ts';
import { UPLOAD_BODY } from '../receive-upload.ts';
import { anyCaller, publishes, readsRegistry } from '../registries.access.ts';
import { READ_PACKAGES, WRITE_PACKAGES } from '../registries.credentials.ts';
import { CONAN } from './conan.credentials.ts';
import { binaryPackages, search, sendFile } from './conan.handlers.ts';
import { BinarySizes, PATHS, RecipeSizes, SearchInput, V1_PATHS } from './conan.inputs.ts';
import { inProjectOfUser } from './conan.instance-access.ts';
import { withDefaultRevision } from './conan.names.ts';
import { BinarySearchResults, FileAddresses, FileChecksums, RecipeSearchResults } from './conan.responses.ts';
import { storeConanFile } from './conan.upload.ts';
import { deleteRecipe, downloadUrls, snapshot, uploadUrls } from './v1-files.ts';

/** A remote for version 1 of the protocol. */
interface Remote {
  /** Path of its routes, below the API. */
  path: string;
  /** Path of a request, with parameters filled in. */
  address(scope: ProjectScope): string;
  /** Noun in operation ids. */
  noun: string;
  /** Noun in summaries. */
  words: string;
  reads: Access<ProjectScope>;
  publishes: Access<ProjectScope>;
  deletes: Access<ProjectScope>;
}

const shared = { tag: 'Conan packages', credentials: CONAN } as const;
const urls = { status: 200, schema: FileAddresses } as const;
const R = ':package_name/:package_version/:package_username/:package_channel';

function remoteRoutes(remote: Remote): readonly Route[] {
  const { path, address, noun, words } = remote;
  const reading = { ...shared, method: 'GET', access: remote.reads, scopes: READ_PACKAGES } as const;
  const asking = {
    ...shared,
    method: 'POST',
    access: remote.publishes,
    scopes: WRITE_PACKAGES,
    success: urls,
  } as const;
  const downloading = { ...reading, ...blobSuccess('application/octet-stream', 'The file.') } as const;
  const writing = {
    ...shared,
    method: 'PUT',
    access: remote.publishes,
    scopes: WRITE_PACKAGES,
    body: UPLOAD_BODY,
    description: 'There are no revisions: a new upload replaces the previous one.',
    success: { status: 200, empty: true, description: 'The file was stored.' },
  } as const;
  const recipe = `${path}/v1/conans/${R}`;
  const built = `${recipe}/packages/:conan_package_reference`;
  const kinds = [
    {
      at: recipe,
      params: PATHS.recipe,
      file: `${path}/v1/files/${R}/:recipe_revision/export/:file_name`,
      fileParams: V1_PATHS.recipeFile,
      kind: 'Recipe',
      what: 'a Conan recipe',
    },
    {
      at: built,
      params: V1_PATHS.built,
      file: `${path}/v1/files/${R}/:recipe_revision/package/:conan_package_reference/:package_revision/:file_name`,
      fileParams: V1_PATHS.builtFile,
      kind: 'Binary',
      what: 'a Conan package',
    },
  ] as const;
  return [
    ...kinds.flatMap(({ at, params, kind, what }) => [
      route({
        ...reading,
        path: at,
        operationId: `get${noun}ConanV1${kind}Snapshot`,
        summary: `List the checksums of the files of ${what} of ${words}`,
        params,
        success: { status: 200, schema: FileChecksums },
        handler: (c) => snapshot(c, c.params),
      }),
      route({
        ...reading,
        path: `${at}/digest`,
        operationId: `get${noun}ConanV1${kind}Digest`,
        summary: `Get the URL of the manifest of ${what} of ${words}`,
        params,
        success: urls,
        handler: (c) => downloadUrls(c, address(c), c.params, true),
      }),
      route({
        ...reading,
        path: `${at}/download_urls`,
        operationId: `list${noun}ConanV1${kind}DownloadUrls`,
        summary: `List the download URLs of the files of ${what} of ${words}`,
        params,
        success: urls,
        handler: (c) => downloadUrls(c, address(c), c.params, false),
      }),
    ]),
    route({
      ...asking,
      path: `${recipe}/upload_urls`,
      operationId: `make${noun}ConanV1RecipeUploadUrls`,
      summary: `Get upload URLs for files of a Conan recipe of ${words}`,
      params: PATHS.recipe,
      input: RecipeSizes,
      handler: (c) => uploadUrls(c, address(c), c.params, Object.keys(RecipeSizes.properties)),
    }),
    route({
      ...asking,
      path: `${built}/upload_urls`,
      operationId: `make${noun}ConanV1BinaryUploadUrls`,
      summary: `Get upload URLs for files of a Conan package of ${words}`,
      params: V1_PATHS.built,
      input: BinarySizes,
      handler: (c) => uploadUrls(c, address(c), c.params, Object.keys(BinarySizes.properties)),
    }),
    route({
      ...reading,
      path: `${recipe}/search`,
      operationId: `list${noun}ConanV1Binaries`,
      summary: `Search the packages of a Conan recipe of ${words}`,
      params: PATHS.recipe,
      success: { status: 200, schema: BinarySearchResults },
      errors: [429],
      handler: (c) => binaryPackages(c, c.params, withDefaultRevision({})),
    }),
    route({
      ...shared,
      method: 'DELETE',
      path: recipe,
      operationId: `delete${noun}ConanV1Recipe`,
      summary: `Delete a Conan recipe of ${words}`,
      description: 'Deletes all its revisions and packages as well.',
      access: remote.deletes,
      scopes: WRITE_PACKAGES,
      params: PATHS.recipe,
      success: { status: 200, empty: true, description: 'The recipe was deleted.' },
      handler: (c) => deleteRecipe(c, c.params),
    }),
    ...kinds.flatMap(({ file, fileParams, kind, what }) => [
      route({
        ...downloading,
        path: file,
        operationId: `download${noun}ConanV1${kind}File`,
        summary: `Download a file of ${what} of ${words}`,
        params: fileParams,
        handler: (c) => sendFile(c, c.params, withDefaultRevision(c.params)),
      }),
      route({
        ...writing,
        path: file,
        operationId: `upload${noun}ConanV1${kind}File`,
        summary: `Publish a file of ${what} of ${words}`,
        params: fileParams,
        handler: (c) => storeConanFile(c, c.params, withDefaultRevision(c.params)),
      }),
    ]),
  ];
}

const PROJECT = '/projects/:id/packages/conan';
const INSTANCE = '/packages/conan';
const searching = {
  ...shared,
  method: 'GET',
  scopes: READ_PACKAGES,
  input: SearchInput,
  success: { status: 200, schema: RecipeSearchResults },
} as const;

/** Conan packages in version 1 of the protocol, which has no revisions. */
export const v1Routes: readonly Route[] = [
  route({
    ...searching,
    path: `${PROJECT}/v1/conans/search`,
    operationId: 'searchConanV1Recipes',
    summary: 'Search Conan recipes of a project',
    access: readsRegistry,
    handler: (c) => search(c, c.input.q ?? '', c.input.ignorecase ?? true),
  }),
  route({
    ...searching,
    path: `${INSTANCE}/v1/conans/search`,
    operationId: 'searchInstanceConanV1Recipes',
    summary: 'Search Conan recipes of the instance',
    description: 'Only recipes whose user is the path of their project, with `+` instead of `/`.',
    access: anyone,
    handler: (c) => search(c, c.input.q ?? '', c.input.ignorecase ?? true),
  }),
  ...remoteRoutes({
    path: PROJECT,
    address: ({ project }) => `/projects/${project.id}/packages/conan`,
    noun: 'Project',
    words: 'a project',
    reads: readsRegistry,
    publishes,
    deletes: inProject('destroy_package'),
  }),
  ...remoteRoutes({
    path: INSTANCE,
    address: () => INSTANCE,
    noun: 'Instance',
    words: 'the instance',
    reads: anyCaller(inProjectOfUser('read_package')),
    publishes: inProjectOfUser('create_package'),
    deletes: inProjectOfUser('destroy_package'),
  }),
];
