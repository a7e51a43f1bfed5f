import { createHash } from 'node:crypto';
import type { Commits, TimeSlice } from '../commit-graph/index.ts';
import { cacheKey, checkOids, encodeBytes, ResultCache } from '../common/index.ts';
import { fitsArgument, isEntryPath, LITERAL_PATHS, readRecords } from '../process/index.ts';
import type { Repository } from '../repository/index.ts';
import { authorTest } from './author-pattern.ts';
import { CommitText } from './commit-text.ts';
import { walkByDate } from './walks/date-walk.ts';
import { PathHistory } from './walks/path-history.ts';
import { walkByTopology } from './walks/topo-walk.ts';
import { walkDown } from './walks/walk-down.ts';
import { TREESAME, UNINTERESTING, WalkState } from './walks/walk-state.ts';

export interface LogQuery {
  /** Start commits (or tags of commits); for "all", the tips of every ref. */
  from: readonly string[];
  /** Excludes these commits and their ancestors. */
  not?: readonly string[] | undefined;
  /** Only commits that changed this file or folder; taken literally, a trailing slash means a folder. */
  path?: string | undefined;
  /** A basic regular expression for `name <email>` of the author, case-insensitive for ASCII. */
  author?: string | undefined;
  /** A literal substring of the message, case-insensitive. */
  search?: string | undefined;
  /** Committed at or after. */
  since?: Date | undefined;
  /** Committed at or before. */
  until?: Date | undefined;
  firstParent?: boolean | undefined;
  /** Whether to exclude merge commits. */
  noMerges?: boolean | undefined;
  /** `default`: newest first by commit date; `topo`: no parent before all of its children. */
  order?: 'default' | 'topo' | undefined;
  /** Number of commits skipped at the start; default 0. */
  skip?: number | undefined;
  /** Maximum number of commits, up to 10,000. */
  limit: number;
}

const MAX_SKIP = 10_000_000;
const MAX_LIMIT = 10_000;
const MAX_PATTERN = 1_000;
/** Special characters of basic regular expressions. */
const SPECIAL = /[\\.[*^$]/g;
const pages = new ResultCache<readonly string[]>('git_log_pages', (oids) => oids.length * 56);
const counts = new ResultCache<{ count: number }>('git_log_counts', () => 16);

/** Whether a text can match within one line of a commit; git would treat a newline as "or". */
function isPattern(text: string): boolean {
  return text.length <= MAX_PATTERN && !/[\n\0]/.test(text) && text.isWellFormed();
}

const isPath = (path: string): boolean => isEntryPath(path.endsWith('/') ? path.slice(0, -1) : path);

/** Whether no commit can match in any history. */
function isHopeless(query: LogQuery): boolean {
  return (
    query.from.length === 0 ||
    query.limit < 1 ||
    (query.skip ?? 0) > MAX_SKIP ||
    (query.until !== undefined && !(query.until.getTime() >= 0)) ||
    (query.since !== undefined && Number.isNaN(query.since.getTime())) ||
    (query.path !== undefined && !isPath(query.path)) ||
    (query.author !== undefined && query.author !== '' && !(isPattern(query.author) && authorTest(query.author))) ||
    (query.search !== undefined && !isPattern(query.search))
  );
}

function revListArguments(query: LogQuery): string[] {
  const args = ['rev-list', `--max-count=${Math.min(query.limit, MAX_LIMIT)}`];
  if (query.skip) args.push(`--skip=${Math.max(0, Math.trunc(query.skip))}`);
  if (query.order === 'topo') args.push('--topo-order');
  if (query.firstParent) args.push('--first-parent');
  if (query.noMerges) args.push('--no-merges');
  if (query.since !== undefined && query.since.getTime() > 0)
    args.push(`--max-age=${Math.ceil(query.since.getTime() / 1000)}`);
  if (query.until !== undefined) args.push(`--min-age=${Math.floor(query.until.getTime() / 1000)}`);
  const { author, search } = query;
  if (author || search) args.push('--basic-regexp', '--regexp-ignore-case', '--all-match');
  if (author) args.push(`--author=${author}`);
  if (search) args.push(`--grep=${search.replace(SPECIAL, '\\$&')}`);
  return args;
}

function revisions(from: readonly string[], not: readonly string[] | undefined): string {
  checkOids(from);
  checkOids(not ?? []);
  return [...from, ...(not ?? []).map((oid) => `^${oid}`)].map((line) => `${line}\n`).join('');
}

/** Digest of a list of object ids for a cache key; their order is irrelevant. */
function digest(oids: readonly string[] | undefined): string {
  if (oids === undefined || oids.length === 0) return '';
  if (oids.length === 1) return oids[0]!;
  return createHash('sha256').update(oids.toSorted().join()).digest('hex');
}

/**
 * Ids of the matching commits in git's order. Serves `GET /projects/:id/repository/commits`.
 * @throws GitError `invalid` if a revision is not a complete object id, `failed` if one does not exist
 */
export async function listCommits(repo: Repository, query: LogQuery): Promise<readonly string[]> {
  if (isHopeless(query)) return [];
  const args = revListArguments(query);
  const input = revisions(query.from, query.not);
  const key = cacheKey(repo.key, digest(query.from), digest(query.not), args, query.path);
  return await pages.get(key, async () => {
    if (query.path !== undefined) await repo.history.untilIndexed();
    return await repo.history.query({
      walk: (commits, pace) => walkToPage(repo, commits, pace, query),
      git: (env) => askForPage(repo, args, input, query.path, env),
    });
  });
}

async function walkToPage(
  repo: Repository,
  commits: Commits,
  pace: TimeSlice,
  query: LogQuery,
): Promise<readonly string[]> {
  const { path, since, until, author, search, noMerges } = query;
  const state = new WalkState(commits, {
    from: await allNamed(commits, pace, query.from),
    not: await allNamed(commits, pace, query.not ?? []),
    path: path === undefined ? null : await PathHistory.of(commits, pace, repo.objects, path),
    firstParent: query.firstParent ?? false,
    since: since !== undefined && since.getTime() > 0 ? Math.ceil(since.getTime() / 1000) : null,
    until: until === undefined ? null : Math.floor(until.getTime() / 1000),
  });
  const text = new CommitText(repo.objects, { author, message: search });
  const matches = async (commit: number): Promise<boolean> => {
    if (state.has(commit, UNINTERESTING | TREESAME)) return false;
    if (state.query.until !== null && commits.date(commit) > state.query.until) return false;
    if (noMerges && state.parents(commit).length > 1) return false;
    return await text.isIn(commits.oid(commit));
  };
  const limit = Math.min(query.limit, MAX_LIMIT);
  let skip = Math.max(0, Math.trunc(query.skip ?? 0));
  const oids: string[] = [];
  for await (const commit of (query.order === 'topo' ? walkByTopology : walkByDate)(state, pace)) {
    if (!(await matches(commit))) continue;
    if (skip > 0) skip -= 1;
    else oids.push(commits.oid(commit));
    if (oids.length >= limit) break;
  }
  return oids;
}

async function allNamed(commits: Commits, pace: TimeSlice, oids: readonly string[]): Promise<number[]> {
  const matches: number[] = [];
  for (const oid of oids) {
    if (pace.isExpired) await pace.yield();
    const commit = await commits.named(oid);
    if (commit !== null) matches.push(commit);
  }
  return matches;
}

async function askForPage(
  repo: Repository,
  args: readonly string[],
  input: string,
  path: string | undefined,
  env: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const inArguments = path === undefined || fitsArgument(path);
  // Git splits its input into lines, and arguments are limited to UTF-8.
  if (!inArguments && path.includes('\n')) return [];
  const oids: string[] = [];
  await readRecords(
    [...args, '--stdin', ...(path !== undefined && inArguments ? ['--', path] : [])],
    {
      gitDir: repo.dir,
      env: { ...LITERAL_PATHS, ...env },
      input: inArguments ? input : Buffer.concat([Buffer.from(`${input}--\n`), encodeBytes(path)]),
    },
    (record) => oids.push(record.toString('latin1')),
  );
  return oids;
}

/**
 * Number of commits reachable from `from` but not from `not`, up to `limit` if given.
 * @throws GitError as `listCommits`
 */
export async function countCommits(
  repo: Repository,
  from: readonly string[],
  options: { not?: readonly string[]; firstParent?: boolean; limit?: number } = {},
): Promise<number> {
  if (from.length === 0) return 0;
  const input = revisions(from, options.not);
  const { firstParent = false, limit } = options;
  const key = cacheKey(repo.key, digest(from), digest(options.not), firstParent, limit ?? 0);
  const { count } = await counts.get(key, async () => {
    return await repo.history.query({
      walk: async (commits, pace) => {
        const all = await countReached(commits, pace, { from, not: options.not ?? [], firstParent });
        return { count: Math.min(all, limit ?? all) };
      },
      git: async (env) => {
        const args = ['rev-list', '--count', ...(firstParent ? ['--first-parent'] : []), '--stdin'];
        if (limit !== undefined) args.push(`--max-count=${limit}`);
        let text = '';
        await readRecords(args, { gitDir: repo.dir, input, env }, (record) => {
          text = record.toString('latin1');
        });
        return { count: Number(text) };
      },
    });
  });
  return count;
}

const INCLUDED = 1;
const EXCLUDED = 2;

async function countReached(
  commits: Commits,
  pace: TimeSlice,
  what: { from: readonly string[]; not: readonly string[]; firstParent: boolean },
): Promise<number> {
  const from = await allNamed(commits, pace, what.from);
  const not = await allNamed(commits, pace, what.not);
  const starts = [
    ...from.map((commit) => [commit, INCLUDED] as const),
    ...not.map((commit) => [commit, EXCLUDED] as const),
  ];
  let count = 0;
  await walkDown(commits, pace, {
    starts,
    firstParentOnly: what.firstParent ? INCLUDED : 0,
    isDone: (marks) => (marks & EXCLUDED) !== 0,
    visit: (_, marks) => {
      if (marks === INCLUDED) count += 1;
      return marks;
    },
  });
  return count;
}
