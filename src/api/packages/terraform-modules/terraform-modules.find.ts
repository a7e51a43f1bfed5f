import { notFound } from '../../../core/core.errors.ts';
import type { PackageFile } from '../../../db/tables/package-files.table.ts';
import type { Package } from '../../../db/tables/packages.table.ts';
import type { BaseContext } from '../../../http/http.route.ts';
import { findFile, findVersion, type PackageSource, versionsOf } from '../../../packages/package-registry.find.ts';
import { archiveName, type ModuleName, newestOf, packageName } from './terraform-modules.names.ts';

const module = (name: ModuleName) => ({ type: 'terraform_module', nameKey: packageName(name) }) as const;

/** Query for all versions of a module. @returns none for an unknown module */
export const moduleVersions = ({ deps }: BaseContext, source: PackageSource, name: ModuleName): Promise<Package[]> =>
  versionsOf(deps.db, source, module(name));

/** Returns a version of a module, by default the latest. @returns undefined if there is none */
export async function findModule(
  c: BaseContext,
  source: PackageSource,
  name: ModuleName,
  version: string | undefined,
): Promise<Package | undefined> {
  if (version === undefined) return newestOf(await moduleVersions(c, source, name));
  return findVersion(c.deps.db, source, { ...module(name), versionKey: version });
}

/** Returns the archive of a version. @throws ApiError 404 if it was deleted */
export async function archiveOf({ deps }: BaseContext, name: ModuleName, row: Package): Promise<PackageFile> {
  const fileName = archiveName(name, row.version!);
  const key = { ...module(name), versionKey: row.version_key, fileName };
  const file = await findFile(deps.db, { projectId: row.project_id }, key);
  if (file === undefined) throw notFound('Package');
  return file;
}
