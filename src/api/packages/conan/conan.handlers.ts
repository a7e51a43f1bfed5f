import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { ApiError, badRequest, conflict, notFound } from '../../../core/core.errors.ts';
import { matchesWildcard } from '../../../core/wildcard.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Package } from '../../../db/tables/packages.table.ts';
import type { BaseContext } from '../../../http/http.route.ts';
import { destroyFiles, destroyPackages } from '../../../packages/package-registry.destroy.ts';
import { readablePackages } from '../../../packages/package-registry.readable.ts';
import type { ProjectScope } from '../../api.access.ts';
import { sendPackageFile } from '../registries.send-file.ts';
import {
  fileOfRevision,
  filesBelow,
  filesOfRevision,
  findRecipe,
  hasOtherRevisions,
  infosOf,
  revisionsOf,
  searchRecipes,
} from './conan.find.ts';
import {
  projectPathOf,
  type RecipeParams,
  type RevisionKey,
  type RevisionParams,
  recipeOf,
  revisionOf,
} from './conan.names.ts';
import { type ConanInfo, parseInfo } from './info.ts';

type Asked = BaseContext & ProjectScope;

const MAX_QUERY = 200;
const MAX_WILDCARDS = 5;
const MAX_INFO = 64 * 1024;
const INFOS_AT_ONCE = 16;
const MAX_DELETED = 1_000;

/** @throws ApiError 400, 404 */
export async function packageOf({ deps, project }: Asked, params: RecipeParams): Promise<Package> {
  const row = await findRecipe(deps.db, project.id, recipeOf(params));
  if (row === undefined) throw notFound('Package');
  return row;
}

/**
 * Searches recipes of a project, or of all projects that the caller may read. The instance remote contains only recipes
 * whose user is the path of their project.
 * @throws ApiError 400
 */
export async function search(
  { deps, caller, project }: BaseContext & Partial<ProjectScope>,
  q: string,
  ignoreCase: boolean,
): Promise<{ results: string[] }> {
  if (q.length >= MAX_QUERY) throw badRequest('Search term length must be less than 200 characters.');
  const parts = q.split('*');
  if (parts.length - 1 > MAX_WILDCARDS) throw badRequest('Too many wildcards in search term. Maximum is 5.');
  const terms = parts.filter((part) => part !== '');
  if (terms.length === 0) return { results: [] };
  const fold = (name: string) => (ignoreCase ? name.toLowerCase() : name);
  const recipes =
    project === undefined
      ? await searchRecipes(deps.db, { readable: await readablePackages(deps, caller) }, [...terms, '+'])
      : await searchRecipes(deps.db, { projectId: project.id }, terms);
  const input = recipes.filter(
    (each) => project !== undefined || projectPathOf(each.name) === each.full_path.toLowerCase(),
  );
  // `zlib` matches all its versions, and `zlib/1.3` has neither user nor channel.
  const pattern = fold(q);
  const fits = (name: string) =>
    [name, name.replace(/@_\/_$/, ''), name.split('/', 1)[0]!].some((each) => matchesWildcard(pattern, fold(each)));
  return { results: input.map(({ name }) => name).filter(fits) };
}

/** Returns the latest revision. @throws ApiError 400, 404 */
export async function latest(c: Asked, params: RecipeParams, key: RevisionKey | null) {
  const [newest] = await revisionsOf(c.deps.db, (await packageOf(c, params)).id, key);
  if (newest === undefined) throw notFound('Revision');
  return newest;
}

/** Returns the names of the files of a revision. @throws ApiError 400, 404 */
export async function fileNames(c: Asked, params: RecipeParams & RevisionParams) {
  const key = revisionOf(params);
  const files = await filesOfRevision(c.deps.db, (await packageOf(c, params)).id, key);
  if (files.length === 0) throw notFound(key.package === undefined ? 'Recipe files' : 'Package files');
  return { files: Object.fromEntries(files.map(({ file_name }) => [file_name, {}])) };
}

/** @throws ApiError 400, 404 */
export async function sendFile(
  c: Asked,
  params: RecipeParams & RevisionParams & { file_name: string },
  key = revisionOf(params),
): Promise<Readable | undefined> {
  const file = await fileOfRevision(c.deps.db, (await packageOf(c, params)).id, key, params.file_name);
  if (file === undefined) throw notFound('Package file');
  return sendPackageFile(c, file);
}

/** Returns the packages of a recipe revision, by default the latest. @throws ApiError 400, 404 */
export async function binaryPackages(
  c: Asked,
  params: RecipeParams,
  key: RevisionKey | null,
): Promise<Record<string, ConanInfo>> {
  const { db, blobs } = c.deps;
  const row = await packageOf(c, params);
  const revision = key === null ? (await revisionsOf(db, row.id, null))[0]?.revision : key.recipe;
  if (revision === undefined) return {};
  const infos = [...(await infosOf(db, row.id, { recipe: revision }))];
  const sizes = infos.reduce((sum, [, { size }]) => sum + Math.min(size, MAX_INFO), 0);
  await c.hold(4 * sizes);
  const built: [string, ConanInfo][] = [];
  for (let at = 0; at < infos.length; at += INFOS_AT_ONCE) {
    const read = infos.slice(at, at + INFOS_AT_ONCE).map(async ([reference, { sha256, size }]) => {
      const stream = size > MAX_INFO ? null : await blobs.get(sha256);
      built.push([reference, parseInfo(stream === null ? '' : await text(stream))]);
    });
    await Promise.all(read);
  }
  return Object.fromEntries(built.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Deletes a revision with its packages; the package is deleted with its last recipe revision. @throws ApiError */
export async function deleteRevision(c: Asked, params: RecipeParams & RevisionParams): Promise<void> {
  const { deps, caller, project } = c;
  const key = revisionOf(params);
  const { id } = await packageOf(c, params);
  const files = await filesBelow(deps.db, id, key, MAX_DELETED + 1);
  if (files.length === 0) throw notFound('Revision');
  if (files.length > MAX_DELETED) {
    throw new ApiError(422, `Cannot delete more than ${MAX_DELETED} files. Delete the package instead.`);
  }
  const deletion = { caller, projectId: project.id };
  const whole = key.package === undefined && !(await hasOtherRevisions(deps.db, id, key));
  // Another revision may have been published meanwhile.
  const check = async (_: Package, db: Db) => {
    if (await hasOtherRevisions(db, id, key)) throw conflict();
  };
  if (whole) await destroyPackages(deps, deletion, [id], { check });
  else
    await destroyFiles(
      deps,
      deletion,
      files.map((file) => file.id),
    );
}
