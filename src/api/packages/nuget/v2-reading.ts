import { notFound } from '../../../core/errors.ts';
import type { BaseContext } from '../../../http/route.ts';
import { type Feed, sortedVersions } from './find.ts';
import { apiOf, ROW_BYTES } from './reading.ts';
import type { VersionsAsked } from './v2-query.ts';
import { presentV2Entry, presentV2Feed, type V2Version } from './v2-views.ts';

/** Versions of a page. */
const MAX_TOP = 100;

/** The versions that are asked for, the lowest first. */
async function versions(c: BaseContext, feed: Feed, asked: VersionsAsked): Promise<V2Version[]> {
  const rows = await sortedVersions(c.deps.db, feed, asked.name);
  await c.hold(rows.length * ROW_BYTES);
  const release = rows.findLast(({ version_key }) => !version_key.includes('-'));
  const all = rows.map((row) => ({ row, isLatest: row === release, isAbsoluteLatest: row === rows.at(-1) }));
  return all.filter(
    ({ row, isLatest, isAbsoluteLatest }) =>
      (asked.versionKey === undefined || row.version_key === asked.versionKey) &&
      (asked.latest === undefined || (asked.latest === 'release' ? isLatest : isAbsoluteLatest)),
  );
}

/** A page of the versions that are asked for; none of a name that is not there. @param page where it begins, how long it is */
export async function versionFeed(
  c: BaseContext,
  feed: Feed,
  asked: VersionsAsked,
  { skip, top }: { skip: number; top: number },
): Promise<string> {
  const api = apiOf(c);
  const found = await versions(c, feed, asked);
  const most = Math.min(top, MAX_TOP);
  const url = new URL(c.request.url, c.deps.externalUrl());
  const id = `${api}${feed.path}/v2/${url.pathname.slice(url.pathname.lastIndexOf('/') + 1)}`;
  url.searchParams.set('$skip', String(skip + most));
  url.searchParams.set('$top', String(top - most));
  const more = top > most && found.length > skip + most;
  const next = more ? { next: `${id}${url.search}` } : {};
  const page = { id, total: found.length, ...next };
  return presentV2Feed(api, `${api}${feed.path}`, found.slice(skip, skip + most), page);
}

/** One version. @throws ApiError 404 */
export async function versionEntry(c: BaseContext, feed: Feed, asked: VersionsAsked): Promise<string> {
  const [found] = await versions(c, feed, asked);
  if (found === undefined) throw notFound('Package');
  return presentV2Entry(apiOf(c), `${apiOf(c)}${feed.path}`, found);
}
