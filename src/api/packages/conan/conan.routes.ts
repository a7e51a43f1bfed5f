import { type Route, route } from '../../../http/http.route.ts';
import { blobSuccess } from '../../../http/send-blob.ts';
import { inProject } from '../../api.access.ts';
import { UPLOAD_BODY } from '../receive-upload.ts';
import { publishes, readsRegistry } from '../registries.access.ts';
import { READ_PACKAGES, WRITE_PACKAGES } from '../registries.credentials.ts';
import { CONAN } from './conan.credentials.ts';
import { revisionsOf } from './conan.find.ts';
import { binaryPackages, deleteRevision, fileNames, latest, packageOf, search, sendFile } from './conan.handlers.ts';
import { PATHS, SearchInput } from './conan.inputs.ts';
import { recipeOf, revisionOf } from './conan.names.ts';
import {
  BinaryRevisions,
  BinarySearchResults,
  ConanRevision,
  RecipeRevisions,
  RecipeSearchResults,
  RevisionFiles,
} from './conan.responses.ts';
import { sessionRoutes } from './conan.session-routes.ts';
import { storeConanFile } from './conan.upload.ts';
import { v1Routes } from './conan.v1-routes.ts';

const shared = { tag: 'Conan packages', credentials: CONAN } as const;
const reading = { ...shared, method: 'GET', access: readsRegistry, scopes: READ_PACKAGES } as const;
const writing = {
  ...shared,
  method: 'PUT',
  access: publishes,
  scopes: WRITE_PACKAGES,
  body: UPLOAD_BODY,
  description:
    'A revision becomes visible when `conanmanifest.txt` is uploaded, which clients send last. Complete revisions cannot be changed.',
  success: { status: 200, empty: true, description: 'The file was stored.' },
} as const;
const deleting = {
  ...shared,
  method: 'DELETE',
  access: inProject('destroy_package'),
  scopes: WRITE_PACKAGES,
  success: { status: 200, empty: true, description: 'The revision was deleted.' },
  errors: [422],
} as const;
const downloading = { ...reading, ...blobSuccess('application/octet-stream', 'The file.') } as const;

const CONANS = '/projects/:id/packages/conan/v2/conans';
const R = `${CONANS}/:package_name/:package_version/:package_username/:package_channel`;
const REVISION = `${R}/revisions/:recipe_revision`;
const BINARY = `${REVISION}/packages/:conan_package_reference`;
const BINARY_REVISION = `${BINARY}/revisions/:package_revision`;

const searching = { ...reading, success: { status: 200, schema: BinarySearchResults }, errors: [429] } as const;
const files = { ...reading, success: { status: 200, schema: RevisionFiles } } as const;
const newest = { ...reading, success: { status: 200, schema: ConanRevision } } as const;

/** Conan packages in version 2 of the protocol (part 1, section 4.7). */
export const conanRoutes: readonly Route[] = [
  ...sessionRoutes,
  ...v1Routes,
  route({
    ...reading,
    path: `${CONANS}/search`,
    operationId: 'searchConanRecipes',
    summary: 'Search Conan recipes of a project',
    input: SearchInput,
    success: { status: 200, schema: RecipeSearchResults },
    handler: (c) => search(c, c.input.q ?? '', c.input.ignorecase ?? true),
  }),
  route({
    ...searching,
    path: `${R}/search`,
    operationId: 'listConanBinaries',
    summary: 'Search the packages of the latest revision of a Conan recipe',
    params: PATHS.recipe,
    handler: (c) => binaryPackages(c, c.params, null),
  }),
  route({
    ...searching,
    path: `${REVISION}/search`,
    operationId: 'listConanRevisionBinaries',
    summary: 'Search the packages of a revision of a Conan recipe',
    params: PATHS.revision,
    handler: (c) => binaryPackages(c, c.params, revisionOf(c.params)),
  }),
  route({
    ...newest,
    path: `${R}/latest`,
    operationId: 'getConanRecipeRevision',
    summary: 'Get the latest revision of a Conan recipe',
    params: PATHS.recipe,
    handler: (c) => latest(c, c.params, null),
  }),
  route({
    ...reading,
    path: `${R}/revisions`,
    operationId: 'listConanRecipeRevisions',
    summary: 'List the revisions of a Conan recipe',
    params: PATHS.recipe,
    success: { status: 200, schema: RecipeRevisions },
    handler: async (c) => {
      const { id } = await packageOf(c, c.params);
      return { reference: recipeOf(c.params), revisions: await revisionsOf(c.deps.db, id, null) };
    },
  }),
  route({
    ...deleting,
    path: REVISION,
    operationId: 'deleteConanRecipeRevision',
    summary: 'Delete a revision of a Conan recipe',
    description: 'Deletes all its packages as well. The recipe is deleted with its last revision.',
    params: PATHS.revision,
    errors: [409, 422],
    handler: (c) => deleteRevision(c, c.params),
  }),
  route({
    ...files,
    path: `${REVISION}/files`,
    operationId: 'listConanRecipeFiles',
    summary: 'List the files of a revision of a Conan recipe',
    params: PATHS.revision,
    handler: (c) => fileNames(c, c.params),
  }),
  route({
    ...downloading,
    path: `${REVISION}/files/:file_name`,
    operationId: 'downloadConanRecipeFile',
    summary: 'Download a file of a Conan recipe',
    params: PATHS.revisionFile,
    handler: (c) => sendFile(c, c.params),
  }),
  route({
    ...writing,
    path: `${REVISION}/files/:file_name`,
    operationId: 'uploadConanRecipeFile',
    summary: 'Publish a file of a Conan recipe',
    params: PATHS.revisionFile,
    handler: (c) => storeConanFile(c, c.params),
  }),
  route({
    ...newest,
    path: `${BINARY}/latest`,
    operationId: 'getConanBinaryRevision',
    summary: 'Get the latest revision of a Conan package',
    params: PATHS.binary,
    handler: (c) => latest(c, c.params, revisionOf(c.params)),
  }),
  route({
    ...reading,
    path: `${BINARY}/revisions`,
    operationId: 'listConanBinaryRevisions',
    summary: 'List the revisions of a Conan package',
    params: PATHS.binary,
    success: { status: 200, schema: BinaryRevisions },
    handler: async (c) => {
      const { id } = await packageOf(c, c.params);
      const key = revisionOf(c.params);
      const packageReference = `${recipeOf(c.params)}#${key.recipe}:${key.reference}`;
      return { packageReference, revisions: await revisionsOf(c.deps.db, id, key) };
    },
  }),
  route({
    ...deleting,
    path: BINARY_REVISION,
    operationId: 'deleteConanBinaryRevision',
    summary: 'Delete a revision of a Conan package',
    params: PATHS.binaryRevision,
    handler: (c) => deleteRevision(c, c.params),
  }),
  route({
    ...files,
    path: `${BINARY_REVISION}/files`,
    operationId: 'listConanBinaryFiles',
    summary: 'List the files of a revision of a Conan package',
    params: PATHS.binaryRevision,
    handler: (c) => fileNames(c, c.params),
  }),
  route({
    ...downloading,
    path: `${BINARY_REVISION}/files/:file_name`,
    operationId: 'downloadConanBinaryFile',
    summary: 'Download a file of a Conan package',
    params: PATHS.binaryFile,
    handler: (c) => sendFile(c, c.params),
  }),
  route({
    ...writing,
    path: `${BINARY_REVISION}/files/:file_name`,
    operationId: 'uploadConanBinaryFile',
    summary: 'Publish a file of a Conan package',
    params: PATHS.binaryFile,
    handler: (c) => storeConanFile(c, c.params),
  }),
];
