import type { Project } from '../../../db/tables/projects.table.ts';
import { cacheKey, ResultCache } from '../../../git/common/index.ts';
import { listCommits, parseTrailers } from '../../../git/history/index.ts';
import type { Commit } from '../../../git/objects/index.ts';
import type { Repository } from '../../../git/repository/index.ts';
import type { Author } from './authors.ts';
import { ChangelogError } from './changelogs.template.ts';

/** Maximum number of commits in the range of a changelog. */
export const MAX_COMMITS = 15_000;
const PAGE = 5_000;
const BATCH = 200;
/** Maximum total length of titles and trailers in memory. */
const MAX_HELD = 16 * 1024 * 1024;
const REVERTS = /This reverts commit ([0-9a-f]{64}|[0-9a-f]{40})/gi;

/** A commit of a changelog. */
export interface ChangelogCommit {
  oid: string;
  title: string;
  /** Value of the requested trailer. */
  category: string;
  trailers: Record<string, string>;
  authorEmail: string;
}

const results = new ResultCache<readonly ChangelogCommit[]>('changelogs', (commits) =>
  commits.reduce((sum, commit) => sum + 2 * textOf(commit) + 400, 0),
);

const textOf = ({ title, trailers }: Pick<ChangelogCommit, 'title' | 'trailers'>): number =>
  title.length + Object.entries(trailers).join().length;

/**
 * Returns the commits of a range that have the trailer, newest first. Leaves out commits reverted within the range.
 * Cached by ids.
 * @param range ids of commits
 * @throws ChangelogError if the texts are too long
 */
export async function changelogCommits(
  repo: Repository,
  range: { from: string; to: string },
  trailer: string,
): Promise<readonly ChangelogCommit[]> {
  return await results.get(cacheKey(repo.key, range.from, range.to, trailer), () => readCommits(repo, range, trailer));
}

async function readCommits(
  repo: Repository,
  range: { from: string; to: string },
  trailer: string,
): Promise<ChangelogCommit[]> {
  const commits: ChangelogCommit[] = [];
  const reverted = new Set<string>();
  let held = 0;
  for await (const commit of commitsOf(repo, range)) {
    const { oid, message, author } = commit;
    // Newest first: a revert is seen before the commit it reverts, and so is a revert of that revert.
    if (reverted.has(oid)) continue;
    for (const [, id] of message.matchAll(REVERTS)) reverted.add(id!.toLowerCase());
    if (!message.includes(trailer)) continue;
    const { trailers } = parseTrailers(message);
    const category = trailers[trailer];
    if (category === undefined) continue;
    const title = message.split('\n', 1)[0]!.trim().toWellFormed();
    held += textOf({ title, trailers });
    if (held > MAX_HELD) throw new ChangelogError('The commit messages are too long. Choose a smaller range.');
    commits.push({ oid, title, category: category.toWellFormed(), trailers, authorEmail: author.email });
  }
  return commits;
}

async function* commitsOf(repo: Repository, { from, to }: { from: string; to: string }): AsyncGenerator<Commit> {
  for (let skip = 0; skip < MAX_COMMITS; skip += PAGE) {
    const oids = await listCommits(repo, { from: [to], not: [from], skip, limit: PAGE });
    for (let at = 0; at < oids.length; at += BATCH) {
      for (const commit of await Promise.all(oids.slice(at, at + BATCH).map((oid) => repo.objects.commit(oid)))) {
        if (commit !== null) yield commit;
      }
    }
    if (oids.length < PAGE) return;
  }
}

/** Data about commits that git does not have. */
export interface EntryContext {
  project: Project;
  /** URL of the project. */
  webUrl: string;
  /** Titles of categories by value of the trailer. */
  categories: ReadonlyMap<string, string>;
  /** Authors by address in lower case. */
  authors: ReadonlyMap<string, Author>;
  /** Numbers of merge requests by commit. */
  mergeRequests: ReadonlyMap<string, number>;
}

/** Builds the template data: commits by category, in order of first occurrence. */
export function templateData(commits: readonly ChangelogCommit[], facts: EntryContext) {
  const { project, webUrl, categories } = facts;
  const byTitle = new Map<string, object[]>();
  for (const commit of commits) {
    const author = facts.authors.get(commit.authorEmail.toLowerCase());
    const iid = facts.mergeRequests.get(commit.oid);
    const title = categories.get(commit.category) ?? commit.category;
    const entries = byTitle.get(title) ?? [];
    byTitle.set(title, entries);
    entries.push({
      title: commit.title,
      commit: {
        reference: `${project.full_path}@${commit.oid}`,
        web_url: `${webUrl}/-/commit/${commit.oid}`,
        trailers: commit.trailers,
      },
      ...(author === undefined ? {} : { author }),
      ...(iid === undefined
        ? {}
        : {
            merge_request: {
              reference: `${project.full_path}!${iid}`,
              web_url: `${webUrl}/-/merge_requests/${iid}`,
            },
          }),
    });
  }
  return {
    categories: [...byTitle].map(([title, entries]) => ({
      title,
      count: entries.length,
      single_change: entries.length === 1,
      entries,
    })),
  };
}
