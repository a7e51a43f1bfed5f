import { notFound, refused } from '../../../core/core.errors.ts';
import type { PageRange } from '../../../db/paginate.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { withoutLeadingSlash } from '../../../git/commits/index.ts';
import { bufferOver } from '../../../git/common/index.ts';
import { authorTest, type LogQuery, mergeBase } from '../../../git/history/index.ts';
import { ask, peel, type Repository, resolveRevision } from '../../../git/repository/index.ts';
import { Serialized } from '../../../http/http.send.ts';
import type { CachedResponse } from '../../../http/immutable-responses.ts';
import type { Listing } from '../../../http/listing.ts';
import { projectUrl } from './commits.views.ts';
import { COMMIT_PAGE } from './page-json.ts';

export interface CommitFilters {
  refName?: string | undefined;
  all?: boolean | undefined;
  path?: string | undefined;
  author?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
  firstParent?: boolean | undefined;
  order?: 'default' | 'topo' | undefined;
  trailers?: boolean | undefined;
  withStats?: boolean | undefined;
}

interface Tips {
  from: string[];
  not: string[];
}

/** Returns the starting points of a list; null for an unknown revision, which has no commits. */
async function findTips(repo: Repository, filters: CommitFilters): Promise<Tips | null> {
  if (filters.all) {
    const refs = [...(await repo.refs.list('refs/heads/')), ...(await repo.refs.list('refs/tags/'))];
    const oids = await Promise.all(refs.map(({ oid }) => peel(repo, oid)));
    return { from: [...new Set(oids.flatMap((oid) => oid ?? []))], not: [] };
  }
  const name = filters.refName || 'HEAD';
  const range = /^(.*?)(\.\.\.?)(.*)$/s.exec(name);
  if (range === null) {
    const revision = await resolveRevision(repo, name);
    return revision === null ? null : { from: [revision.oid], not: [] };
  }
  const left = await resolveRevision(repo, range[1] || 'HEAD');
  const right = await resolveRevision(repo, range[3] || 'HEAD');
  if (left === null || right === null) return null;
  if (range[2] === '..') return { from: [right.oid], not: [left.oid] };
  const base = await mergeBase(repo, [left.oid, right.oid]);
  return { from: [left.oid, right.oid], not: base === null ? [] : [base] };
}

/** Returns a page of commits (part 1, section 4.2), newest first; empty for an unknown revision. */
export async function commitPage(
  deps: Deps,
  project: Project,
  repo: Repository,
  filters: CommitFilters,
  page: PageRange,
): Promise<Listing<Serialized>> {
  if ((await repo.refs.list('refs/heads/')).length === 0) throw notFound('Repository');
  if (filters.author && authorTest(filters.author) === null) {
    throw refused('author is not a valid basic regular expression, is too long, or contains a back-reference');
  }
  const tips = await findTips(repo, filters);
  const webUrl = projectUrl(deps, project);
  const { refName: _name, all: _all, ...rest } = filters;
  const key = `commits:${repo.id}:${webUrl}:${page.offset}:${page.size}:${JSON.stringify([tips, rest])}`;
  const cached = deps.immutableResponses.peek(key) ?? (await makePage(deps, repo, key, tips, filters, page, webUrl));
  return { rows: cached.json, total: null, more: cached.headers.more === 'true' };
}

async function makePage(
  deps: Deps,
  repo: Repository,
  key: string,
  tips: Tips | null,
  filters: CommitFilters,
  page: PageRange,
  webUrl: string,
): Promise<CachedResponse> {
  if (tips === null || tips.from.length === 0) return deps.immutableResponses.set(key, [], { more: 'false' });
  const query = queryOf(tips, filters, page);
  const { trailers = false, withStats = false } = filters;
  const { bytes, etag, more } = await ask(repo, COMMIT_PAGE, query, webUrl, trailers, withStats);
  return deps.immutableResponses.setBody(key, new Serialized(bufferOver(bytes), etag), { more: String(more) });
}

function queryOf(tips: Tips, filters: CommitFilters, page: PageRange): LogQuery {
  const path = withoutLeadingSlash(filters.path ?? '');
  return {
    ...tips,
    skip: page.offset,
    limit: page.size,
    ...(path === '' ? {} : { path }),
    ...(filters.author ? { author: filters.author } : {}),
    ...(filters.since === undefined ? {} : { since: new Date(filters.since) }),
    ...(filters.until === undefined ? {} : { until: new Date(filters.until) }),
    ...(filters.firstParent ? { firstParent: true } : {}),
    order: filters.order ?? 'default',
  };
}
