import type { Commit } from '../objects/index.ts';
import type { Question, Repository } from '../repository/index.ts';
import { type LogQuery, listCommits } from './log.ts';

export interface LogPage {
  commits: Commit[];
  /** Whether more commits follow. */
  more: boolean;
}

/**
 * One page of a history. Serves lists of commits.
 * @param query as for `listCommits`
 * @throws GitError as `listCommits` and `ObjectReader.commit`
 */
export async function readLogPage(repo: Repository, query: LogQuery): Promise<LogPage> {
  const oids = await listCommits(repo, { ...query, limit: query.limit + 1 });
  const commits = await readCommits(repo, oids.slice(0, query.limit));
  return { commits: commits.filter((commit) => commit !== null), more: oids.length > query.limit };
}

/** Reads commits by their complete ids; null for missing ones. @throws GitError as `ObjectReader.commit` */
async function readCommits(repo: Repository, oids: readonly string[]): Promise<(Commit | null)[]> {
  return await Promise.all(oids.map((oid) => repo.objects.commit(oid)));
}

/** Commits by their complete ids. Serves single commits and those of branches. */
export const COMMITS = { name: 'commits', find: readCommits } as const satisfies Question;
