import type { Readable } from 'node:stream';
import type { Static } from 'typebox';
import { notFound } from '../../../core/core.errors.ts';
import { pluck } from '../../../core/pluck.ts';
import type { BaseContext } from '../../../http/http.route.ts';
import { findFile, findVersion } from '../../../packages/package-registry.find.ts';
import { sendPackageFile } from '../registries.send-file.ts';
import { type Feed, sortedVersions, versionsOfNames, withMetadata } from './nuget.find.ts';
import type { SearchInput } from './nuget.inputs.ts';
import { nameKeyOf, storedName, versionKeyOf } from './nuget.names.ts';
import { searchNames } from './nuget.search.ts';
import { presentRegistration, presentSearchResult, presentVersion } from './nuget.views.ts';

const MAX_TAKE = 30;
const MAX_VERSIONS = 10;

/** URL of the API. */
export const apiOf = ({ deps }: BaseContext): string => `${deps.externalUrl()}/api/v4`;

/** Returns all versions of a package. @throws ApiError 404 */
export async function registration(c: BaseContext, feed: Feed, name: string) {
  const rows = await withMetadata(c, await sortedVersions(c.deps.db, feed, name));
  if (rows.length === 0) throw notFound('Packages');
  return presentRegistration(apiOf(c), `${apiOf(c)}${feed.path}`, rows);
}

/** Returns one version, from a path `<version>.json`. @throws ApiError 404 */
export async function versionMetadata(c: BaseContext, feed: Feed, name: string, document: string) {
  const versionKey = versionKeyOf(document.replace(/\.json$/i, ''));
  const row =
    versionKey === undefined
      ? undefined
      : await findVersion(c.deps.db, feed.source, { type: 'nuget', nameKey: nameKeyOf(name), versionKey });
  if (row === undefined) throw notFound('Package');
  return presentVersion(apiOf(c), `${apiOf(c)}${feed.path}`, row);
}

/** Returns the downloadable versions. @throws ApiError 404 */
export async function versionList({ deps }: BaseContext, feed: Feed, name: string) {
  const versions = await sortedVersions(deps.db, feed, name);
  if (versions.length === 0) throw notFound('Packages');
  return { versions: versions.map(({ versionKey }) => versionKey) };
}

/** Searches packages by name. */
export async function search(c: BaseContext, feed: Feed, input: Static<typeof SearchInput>) {
  const { db } = c.deps;
  const { q = '', skip = 0, take = 20, prerelease = true } = input;
  const { total, nameKeys } = await searchNames(db, feed, {
    q: q.trim(),
    skip,
    take: Math.min(take, MAX_TAKE),
    prerelease,
  });
  const versions = await versionsOfNames(db, feed, prerelease, nameKeys);
  const rows = await withMetadata(
    c,
    [...versions.values()].flatMap((ofName) => ofName.slice(0, 1)),
  );
  const base = `${apiOf(c)}${feed.path}`;
  const data = rows.map((row) => {
    const highest = versions.get(row.name_key)!.slice(0, MAX_VERSIONS);
    return presentSearchResult(base, pluck(highest, 'versionKey'), row);
  });
  return { totalHits: total, data };
}

/** Sends the file of a version, or its symbols. @throws ApiError 404 */
export async function sendVersionFile(
  c: BaseContext,
  feed: Feed,
  { package_name: name, package_version: version, package_filename: requestedFile }: Record<string, string>,
): Promise<Readable | undefined> {
  const keys = { nameKey: nameKeyOf(name!), versionKey: versionKeyOf(version!) ?? '' };
  const fileName = storedName(keys, requestedFile!);
  const file =
    fileName === undefined ? undefined : await findFile(c.deps.db, feed.source, { type: 'nuget', ...keys, fileName });
  if (file === undefined) throw notFound('Package');
  return sendPackageFile(c, file);
}
