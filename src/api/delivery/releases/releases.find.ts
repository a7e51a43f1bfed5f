import { notFound } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Release } from '../../../db/tables/releases.table.ts';

/** Query for the release of a tag; undefined if there is none. */
export const findRelease = (db: Db, projectId: number, tag: string): Promise<Release | undefined> =>
  db.selectFrom('releases').selectAll().where('project_id', '=', projectId).where('tag', '=', tag).executeTakeFirst();

/** Returns the release of a tag. @throws ApiError 404 */
export async function getRelease(db: Db, projectId: number, tag: string): Promise<Release> {
  const release = await findRelease(db, projectId, tag);
  if (release === undefined) throw notFound();
  return release;
}

/** Returns the release with the latest release date, including upcoming ones. @throws ApiError 404 if there is none */
export async function latestRelease(db: Db, projectId: number): Promise<Release> {
  return db
    .selectFrom('releases')
    .selectAll()
    .where('project_id', '=', projectId)
    .orderBy('released_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow(() => notFound());
}

const HEADER_SAFE = /^[\x21-\x7e]*$/;

/**
 * Returns the URL of the asset with a path below the downloads of a release, encoded for a header.
 * @param path without a leading slash
 * @throws ApiError 404
 */
export async function assetUrl(db: Db, releaseId: number, path: string): Promise<string> {
  const link = await db
    .selectFrom('release_links')
    .select('url')
    .where('release_id', '=', releaseId)
    .where('filepath', '=', `/${path}`)
    .executeTakeFirstOrThrow(() => notFound());
  return HEADER_SAFE.test(link.url) ? link.url : new URL(link.url).href;
}
