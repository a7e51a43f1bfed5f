import { notFound } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Release } from '../../../db/tables/releases.table.ts';

/** The release of a tag; undefined for none. */
export const findRelease = (db: Db, projectId: number, tag: string): Promise<Release | undefined> =>
  db.selectFrom('releases').selectAll().where('project_id', '=', projectId).where('tag', '=', tag).executeTakeFirst();

/** The release of a tag. @throws ApiError 404 */
export async function getRelease(db: Db, projectId: number, tag: string): Promise<Release> {
  const release = await findRelease(db, projectId, tag);
  if (release === undefined) throw notFound();
  return release;
}

/** The release that was released last, upcoming ones included. @throws ApiError 404 where there is none */
export async function latestRelease(db: Db, projectId: number): Promise<Release> {
  const release = await db
    .selectFrom('releases')
    .selectAll()
    .where('project_id', '=', projectId)
    .orderBy('released_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (release === undefined) throw notFound();
  return release;
}

const HEADER_SAFE = /^[\x21-\x7e]*$/;

/**
 * Address of the asset with a path below a release's downloads, as a header can hold it.
 * @param path without the slash in front
 * @throws ApiError 404
 */
export async function assetUrl(db: Db, releaseId: number, path: string): Promise<string> {
  const link = await db
    .selectFrom('release_links')
    .select('url')
    .where('release_id', '=', releaseId)
    .where('filepath', '=', `/${path}`)
    .executeTakeFirst();
  if (link === undefined) throw notFound();
  return HEADER_SAFE.test(link.url) ? link.url : new URL(link.url).href;
}
