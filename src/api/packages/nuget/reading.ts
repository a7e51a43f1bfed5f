import type { Readable } from 'node:stream';
import type { Static } from 'typebox';
import { notFound } from '../../../core/errors.ts';
import type { Package } from '../../../db/tables/packages.ts';
import type { BaseContext } from '../../../http/route.ts';
import { findFile } from '../../../packages/find.ts';
import { sendPackageFile } from '../send-file.ts';
import { type Feed, searchNames, sortedVersions, versionsOfNames } from './find.ts';
import type { SearchInput } from './inputs.ts';
import { nameKeyOf, storedName, versionKeyOf } from './names.ts';
import { presentFound, presentRegistration, presentVersion } from './views.ts';

/** Memory that a row with its metadata takes, read and written. */
export const ROW_BYTES = 16 * 1024;
const MAX_TAKE = 30;
const MAX_VERSIONS = 10;

/** Address of the API. */
export const apiOf = ({ deps }: BaseContext): string => `${deps.externalUrl()}/api/v4`;

/** All versions of a package. @throws ApiError 404 */
export async function registration(c: BaseContext, feed: Feed, name: string) {
  const rows = await sortedVersions(c.deps.db, feed, name);
  if (rows.length === 0) throw notFound('Packages');
  await c.hold(rows.length * ROW_BYTES);
  return presentRegistration(apiOf(c), `${apiOf(c)}${feed.path}`, rows);
}

/** One version, as `<version>.json` names it. @throws ApiError 404 */
export async function versionMetadata(c: BaseContext, feed: Feed, name: string, document: string) {
  const versionKey = versionKeyOf(document.replace(/\.json$/i, ''));
  const rows = versionKey === undefined ? [] : await sortedVersions(c.deps.db, feed, name);
  const row = rows.find(({ version_key }) => version_key === versionKey);
  if (row === undefined) throw notFound('Package');
  return presentVersion(apiOf(c), `${apiOf(c)}${feed.path}`, row);
}

/** Versions that can be downloaded; none of a name that is not there. */
export async function versionList(c: BaseContext, feed: Feed, name: string) {
  const rows = await sortedVersions(c.deps.db, feed, name);
  if (rows.length === 0) throw notFound('Packages');
  return { versions: rows.map(({ version_key }) => version_key) };
}

/** Packages of which the name fits. */
export async function search(c: BaseContext, feed: Feed, input: Static<typeof SearchInput>) {
  const { db } = c.deps;
  const { q = '', skip = 0, take = 20, prerelease = true } = input;
  const wanted = { q: q.trim(), skip, take: Math.min(take, MAX_TAKE), prerelease };
  const { total, nameKeys } = await searchNames(db, feed, wanted);
  const versions = await versionsOfNames(db, feed, wanted, nameKeys, MAX_VERSIONS);
  const ids = [...versions.values()].flatMap(([highest]) => (highest === undefined ? [] : [highest.id]));
  const rows: Package[] =
    ids.length === 0 ? [] : await db.selectFrom('packages').selectAll().where('id', 'in', ids).execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  const base = `${apiOf(c)}${feed.path}`;
  const data = nameKeys.flatMap((key) => {
    const found = versions.get(key) ?? [];
    const row = byId.get(found[0]?.id ?? 0);
    return row === undefined
      ? []
      : [
          presentFound(
            base,
            found.map(({ version }) => version),
            row,
          ),
        ];
  });
  return { totalHits: total, data };
}

/** The file of a version, or its symbols. @throws ApiError 404 */
export async function sendVersionFile(
  c: BaseContext,
  feed: Feed,
  { package_name: name, package_version: version, package_filename: asked }: Record<string, string>,
): Promise<Readable | undefined> {
  const keys = { nameKey: nameKeyOf(name!), versionKey: versionKeyOf(version!) ?? '' };
  const fileName = storedName(keys, asked!);
  const file =
    fileName === undefined ? undefined : await findFile(c.deps.db, feed.source, { type: 'nuget', ...keys, fileName });
  if (file === undefined) throw notFound('Package');
  return sendPackageFile(c, file);
}
