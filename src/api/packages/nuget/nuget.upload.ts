import { timestamp } from '../../../core/clock.ts';
import { badRequest, notFound } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Package } from '../../../db/tables/packages.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import type { BaseContext } from '../../../http/http.route.ts';
import { addFile, publish } from '../../../packages/package-registry.publish.ts';
import { discardOnError, receiveUpload, requireForm } from '../receive-upload.ts';
import { fileNameOf, keysOf, type PackageKeys } from './nuget.names.ts';
import type { Nuspec } from './nuspec.ts';
import { readPackage } from './package-file.ts';

const FIELD = 'package';

/**
 * Publishes a pushed package, or the symbols of an existing one.
 * @param kind kind of file of the URL; the one for packages accepts symbols as well
 * @throws ApiError 400, 401, 403; 404 for symbols without their package
 */
export async function storePackage(c: BaseContext, project: Project, kind: 'package' | 'symbols'): Promise<void> {
  const { deps, caller } = c;
  requireForm(c, FIELD);
  const upload = await receiveUpload(c, 'nuget', FIELD);
  const { file } = upload;
  const { nuspec, keys } = await discardOnError(c, upload, async () => {
    const nuspec = await readPackage(deps, file);
    if (kind === 'symbols' && !nuspec.symbols) throw badRequest('The file is not a symbols package');
    return { nuspec, keys: keysOf(nuspec.id, nuspec.version) };
  });
  const version = { type: 'nuget', name: nuspec.id, version: nuspec.version, versionKey: keys.versionKey };
  await publish(deps, { caller, projectId: project.id, ...version, files: [file] }, async (publishing) => {
    if (nuspec.symbols && publishing.isNew) throw notFound('Package');
    if (!nuspec.symbols) await describe(deps, publishing.db, publishing.row, nuspec, keys);
    await addFile(deps, publishing, file, fileNameOf(keys, nuspec.symbols ? 'snupkg' : 'nupkg'));
  });
}

/** Stores the metadata of the last pushed package. */
async function describe(
  deps: Deps,
  db: Db,
  { id, project_id }: Package,
  nuspec: Nuspec,
  { nameKey }: PackageKeys,
): Promise<void> {
  const { id: name, version, symbols: _, ...metadata } = nuspec;
  await db
    .updateTable('packages')
    .set({ name, version, metadata: JSON.stringify(metadata) })
    .where('id', '=', id)
    .execute();
  await db.deleteFrom('package_tags').where('package_id', '=', id).execute();
  if (nuspec.tags.length === 0) return;
  const now = timestamp(deps.clock);
  const shared = { project_id, package_id: id, package_type: 'nuget', name_key: nameKey };
  const tags = nuspec.tags.map((tag) => ({ ...shared, name: tag, created_at: now, updated_at: now }));
  await db.insertInto('package_tags').values(tags).execute();
}
