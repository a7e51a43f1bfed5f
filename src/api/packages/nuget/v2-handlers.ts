import { notFound } from '../../../core/core.errors.ts';
import { pluck } from '../../../core/pluck.ts';
import type { BaseContext } from '../../../http/http.route.ts';
import { type Feed, type KnownVersion, sortedVersions, versionsOfNames, withMetadata } from './nuget.find.ts';
import { apiOf } from './nuget.handlers.ts';
import { searchNames, searchVersions } from './nuget.search.ts';
import { presentV2Entry, presentV2Feed, type V2Version } from './nuget.v2-views.ts';
import type { SearchQuery, VersionQuery } from './v2-query.ts';

/** Maximum number of versions per page. */
const MAX_TOP = 100;

/** Start and length of a page. */
interface Page {
  skip: number;
  top: number;
}

type Listed = Omit<V2Version, 'row'> & { version: KnownVersion };

/** Returns all versions of a name, highest first, with their flags. */
function marked(versions: readonly KnownVersion[]): Listed[] {
  const release = versions.find(({ versionKey }) => !versionKey.includes('-'));
  return versions.map((version, index) => ({
    version,
    isLatest: version === release,
    isAbsoluteLatest: index === 0,
  }));
}

/** Loads the metadata of versions. */
async function filled(c: BaseContext, listed: readonly Listed[]): Promise<V2Version[]> {
  const rows = await withMetadata(c, pluck(listed, 'version'));
  const byId = new Map(listed.map((each) => [each.version.id, each]));
  return rows.map((row) => {
    const { isLatest, isAbsoluteLatest } = byId.get(row.id)!;
    return { row, isLatest, isAbsoluteLatest };
  });
}

/** Returns the requested versions, lowest first. */
async function versions(c: BaseContext, feed: Feed, query: VersionQuery): Promise<Listed[]> {
  const sorted = await sortedVersions(c.deps.db, feed, query.name);
  return marked(sorted.reverse())
    .reverse()
    .filter(
      ({ version, isLatest, isAbsoluteLatest }) =>
        (query.versionKey === undefined || version.versionKey === query.versionKey) &&
        (query.latest === undefined || (query.latest === 'release' ? isLatest : isAbsoluteLatest)),
    );
}

/** Renders a page as a feed. @param total total number of versions */
async function pageFeed(
  c: BaseContext,
  feed: Feed,
  listed: readonly Listed[],
  total: number,
  { skip, top }: Page,
): Promise<string> {
  const api = apiOf(c);
  const limit = Math.min(top, MAX_TOP);
  const url = new URL(c.request.url, c.deps.externalUrl());
  const id = `${api}${feed.path}/v2/${url.pathname.slice(url.pathname.lastIndexOf('/') + 1)}`;
  url.searchParams.set('$skip', String(skip + limit));
  url.searchParams.set('$top', String(top - limit));
  const next = top > limit && total > skip + limit ? { next: `${id}${url.search}` } : {};
  return presentV2Feed(api, `${api}${feed.path}`, await filled(c, listed), { id, total, ...next });
}

/** Returns a page of the requested versions; empty for an unknown name. */
export async function versionFeed(c: BaseContext, feed: Feed, query: VersionQuery, page: Page): Promise<string> {
  const listed = await versions(c, feed, query);
  return pageFeed(c, feed, listed.slice(page.skip, page.skip + Math.min(page.top, MAX_TOP)), listed.length, page);
}

/** Returns a page of search results by name: all versions, or the latest of each package. */
export async function searchFeed(
  c: BaseContext,
  feed: Feed,
  { q, prerelease, latest }: SearchQuery,
  page: Page,
): Promise<string> {
  const { db } = c.deps;
  const search = { q, prerelease, skip: page.skip, take: Math.min(page.top, MAX_TOP) };
  if (latest) {
    const { total, nameKeys } = await searchNames(db, feed, search);
    const byName = await versionsOfNames(db, feed, true, nameKeys);
    const listed = [...byName.values()].flatMap((all) =>
      marked(all).filter(({ isLatest, isAbsoluteLatest }) => (prerelease ? isAbsoluteLatest : isLatest)),
    );
    return pageFeed(c, feed, listed, total, page);
  }
  const { total, versions: matches } = await searchVersions(db, feed, search);
  const byName = await versionsOfNames(db, feed, true, [...new Set(matches.map(({ nameKey }) => nameKey))]);
  const byId = new Map([...byName.values()].flatMap(marked).map((each) => [each.version.id, each]));
  const listed = matches.flatMap(({ id }) => byId.get(id) ?? []);
  return pageFeed(c, feed, listed, total, page);
}

/** Returns one version. @throws ApiError 404 */
export async function versionEntry(c: BaseContext, feed: Feed, query: VersionQuery): Promise<string> {
  const [version] = await filled(c, (await versions(c, feed, query)).slice(0, 1));
  if (version === undefined) throw notFound('Package');
  return presentV2Entry(apiOf(c), `${apiOf(c)}${feed.path}`, version);
}
