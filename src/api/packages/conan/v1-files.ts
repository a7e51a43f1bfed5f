import { ApiError } from '../../../core/core.errors.ts';
import type { PackageFile } from '../../../db/tables/package-files.table.ts';
import type { BaseContext } from '../../../http/http.route.ts';
import { destroyPackages } from '../../../packages/package-registry.destroy.ts';
import type { ProjectScope } from '../../api.access.ts';
import { filesOfRevision, findRecipe } from './conan.find.ts';
import { packageOf } from './conan.handlers.ts';
import { DEFAULT_REVISION, MANIFEST, type RecipeParams, recipeOf, withDefaultRevision } from './conan.names.ts';

/** Context of a request to a remote. */
type Asked = BaseContext & ProjectScope;
/** A recipe, or a package of it. */
type Asks = RecipeParams & { conan_package_reference?: string };
type Texts = Record<string, string>;

async function filesFor({ deps, project }: Asked, params: Asks): Promise<PackageFile[]> {
  const key = withDefaultRevision(params);
  const row = await findRecipe(deps.db, project.id, recipeOf(params));
  return row === undefined ? [] : filesOfRevision(deps.db, row.id, key);
}

/** URL of a file. @param remote path of the remote, below the API */
function addressOf({ deps }: Asked, remote: string, params: Asks, fileName: string): string {
  const { package_name, package_version, package_username, package_channel, conan_package_reference: id } = params;
  const recipe = [package_name, package_version, package_username, package_channel].join('/');
  const revision =
    id === undefined ? `${DEFAULT_REVISION}/export` : `${DEFAULT_REVISION}/package/${id}/${DEFAULT_REVISION}`;
  return `${deps.externalUrl()}/api/v4${remote}/v1/files/${recipe}/${revision}/${fileName}`;
}

/** Returns the MD5 checksums of the files of a recipe or package; empty if there is none. @throws ApiError 400, 404 */
export async function snapshot(c: Asked, params: Asks): Promise<Texts> {
  return Object.fromEntries((await filesFor(c, params)).map(({ file_name, md5 }) => [file_name, md5 ?? '']));
}

/** Returns the download URLs of the files of a recipe or package, or of its manifest only. @throws ApiError 400, 404 */
export async function downloadUrls(c: Asked, remote: string, params: Asks, manifest: boolean): Promise<Texts> {
  const names = (await filesFor(c, params)).map(({ file_name }) => file_name);
  if (!names.includes(MANIFEST)) throw new ApiError(404, 'No recipe manifest found');
  const fileNames = manifest ? [MANIFEST] : names;
  return Object.fromEntries(fileNames.map((name) => [name, addressOf(c, remote, params, name)]));
}

/** Returns the upload URLs of files. @param names possible names in the schema @throws ApiError 400, 404 */
export function uploadUrls(c: Asked, remote: string, params: Asks, names: readonly string[]): Texts {
  recipeOf(params);
  withDefaultRevision(params);
  return Object.fromEntries(
    names.filter((name) => c.isSent(name)).map((name) => [name, addressOf(c, remote, params, name)]),
  );
}

/** Deletes a recipe with all revisions and packages. @throws ApiError 400, 401, 403, 404 */
export async function deleteRecipe(c: Asked, params: RecipeParams): Promise<void> {
  const { id } = await packageOf(c, params);
  await destroyPackages(c.deps, { caller: c.caller, projectId: c.project.id }, [id]);
}
