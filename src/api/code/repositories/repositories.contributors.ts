import { notFound } from '../../../core/core.errors.ts';
import type { PageRange } from '../../../db/paginate.ts';
import type { Deps } from '../../../deps.ts';
import { type Contributor, listContributors } from '../../../git/history/index.ts';
import { type Repository, resolveRevision } from '../../../git/repository/index.ts';
import type { Serialized } from '../../../http/http.send.ts';

export const CONTRIBUTOR_ORDERS = ['email', 'name', 'commits'] as const;
type Order = (typeof CONTRIBUTOR_ORDERS)[number];

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const COMPARE: Record<Order, (a: Contributor, b: Contributor) => number> = {
  email: (a, b) => byText(a.email.toLowerCase(), b.email.toLowerCase()),
  name: (a, b) => byText(a.name.toLowerCase(), b.name.toLowerCase()),
  commits: (a, b) => a.commits - b.commits,
};

/**
 * Returns a page of contributors; empty for a repository without commits.
 * @throws ApiError 404 for an unknown revision
 */
export async function contributorPage(
  deps: Deps,
  repo: Repository,
  options: { ref?: string | undefined; orderBy: Order; descending: boolean },
  page: PageRange,
): Promise<{ rows: Serialized; total: number }> {
  const { ref, orderBy, descending } = options;
  const revision = await resolveRevision(repo, ref || 'HEAD');
  if (revision === null && ref) throw notFound('Ref');
  const all = revision === null ? [] : await listContributors(repo, revision.oid);
  const key = `contributors:${repo.id}:${revision?.oid}:${orderBy}:${descending}:${page.offset}:${page.size}`;
  const rows = await deps.immutableResponses.get(key, async () => {
    const sorted = all.toSorted((a, b) => (descending ? COMPARE[orderBy](b, a) : COMPARE[orderBy](a, b)));
    return sorted
      .slice(page.offset, page.offset + page.size)
      .map(({ name, email, commits }) => ({ name, email, commits, additions: 0, deletions: 0 }));
  });
  return { rows, total: all.length };
}
