import type { Project } from '../../../db/tables/projects.table.ts';
import type { Commit } from '../../../git/git.objects.ts';
import type { Repository } from '../../../git/git.repository.ts';
import { listCommits } from '../../../git/log.ts';
import { cacheKey, ResultCache } from '../../../git/result-cache.ts';
import { parseTrailers } from '../../../git/trailers.ts';
import type { Author } from './authors.ts';
import { ChangelogError } from './changelogs.template.ts';

/** Commits that a changelog can be made of at most. */
export const MAX_COMMITS = 15_000;
const PAGE = 5_000;
const BATCH = 200;
/** Characters of titles and trailers that are held at once. */
const MAX_HELD = 16 * 1024 * 1024;
const REVERTS = /This reverts commit ([0-9a-f]{64}|[0-9a-f]{40})/gi;

/** A commit that belongs into a changelog. */
export interface ChangelogCommit {
  oid: string;
  title: string;
  /** The value of the trailer that was asked for. */
  category: string;
  trailers: Record<string, string>;
  authorEmail: string;
}

const results = new ResultCache<readonly ChangelogCommit[]>(
  4 * 1024 * 1024,
  (commits) => commits.reduce((sum, commit) => sum + 2 * textOf(commit) + 400, 0),
  true,
);

const textOf = ({ title, trailers }: Pick<ChangelogCommit, 'title' | 'trailers'>): number =>
  title.length + Object.entries(trailers).join().length;

/**
 * The commits of a range that have the trailer, newest first. What the range takes back again is left out. Kept by the ids.
 * @param range ids of commits
 * @throws ChangelogError where they hold too much text
 */
export async function changelogCommits(
  repo: Repository,
  range: { from: string; to: string },
  trailer: string,
): Promise<readonly ChangelogCommit[]> {
  return await results.get(cacheKey(repo.id, range.from, range.to, trailer), () => readCommits(repo, range, trailer));
}

async function readCommits(
  repo: Repository,
  range: { from: string; to: string },
  trailer: string,
): Promise<ChangelogCommit[]> {
  const found: ChangelogCommit[] = [];
  const reverted = new Set<string>();
  let held = 0;
  for await (const commit of commitsOf(repo, range)) {
    const { oid, message, author } = commit;
    // The newest come first: who took a commit back is known before it comes, and so is whether that was taken back.
    if (reverted.has(oid)) continue;
    for (const [, id] of message.matchAll(REVERTS)) reverted.add(id!.toLowerCase());
    if (!message.includes(trailer)) continue;
    const { trailers } = parseTrailers(message);
    const category = trailers[trailer];
    if (category === undefined) continue;
    const title = message.split('\n', 1)[0]!.trim().toWellFormed();
    held += textOf({ title, trailers });
    if (held > MAX_HELD) throw new ChangelogError('The messages of the commits are too long');
    found.push({ oid, title, category: category.toWellFormed(), trailers, authorEmail: author.email });
  }
  return found;
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

/** What is known about the commits beside themselves. */
export interface EntryContext {
  project: Project;
  /** Address of the project's pages. */
  webUrl: string;
  /** Titles of categories by the values of the trailer. */
  categories: ReadonlyMap<string, string>;
  /** By address in lower case. */
  authors: ReadonlyMap<string, Author>;
  /** Numbers of merge requests by commit. */
  mergeRequests: ReadonlyMap<string, number>;
}

/** What templates read: the commits by category, in the order in which categories first occur. */
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
