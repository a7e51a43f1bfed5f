import { checkOids, fitsArgument, isEntryPath } from './arguments.ts';
import { GitError } from './errors.ts';
import { lastCommitOf } from './last-commit.ts';
import type { Commit } from './objects.ts';
import { readRecords } from './records.ts';
import type { Repository } from './repository.ts';
import { cacheKey, ResultCache } from './result-cache.ts';
import { TextDecoding } from './text-encoding.ts';

/** Lines that follow each other and come from one commit. */
export interface BlameRange {
  oid: string;
  /** Without their newlines; decoded as `TextDecoding` does. */
  lines: readonly string[];
}

export interface Blame {
  ranges: readonly BlameRange[];
  /** Every commit that `ranges` names. */
  commits: ReadonlyMap<string, Commit>;
}

/** First and last line, counted from 1; both belong to the range. */
export interface LineRange {
  start: number;
  end: number;
}

interface Lines {
  ranges: readonly BlameRange[];
  bytes: number;
}

const PROCESSOR_MS = 60_000;
const MAX_OUTPUT = 128 * 1024 * 1024;
const MAX_LINE_NUMBER = 1_000_000_000;
const COMMITS_AT_ONCE = 500;
const TAB = 9;
const SPACE = 0x20;
const results = new ResultCache<Lines>(24 * 1024 * 1024, ({ bytes }) => bytes);

/** Collects ranges from `git blame --porcelain`: a header with the id, notes on commits, the line after a tab. */
class PorcelainReader {
  readonly ranges: { oid: string; lines: Buffer[] }[] = [];
  bytes = 200;
  #oid: string | undefined;

  push(record: Buffer): void {
    if (this.#oid === undefined) {
      this.#oid = record.toString('latin1', 0, record.indexOf(SPACE));
    } else if (record[0] === TAB) {
      const line = record.subarray(1);
      const last = this.ranges.at(-1);
      if (last?.oid === this.#oid) last.lines.push(line);
      else {
        this.ranges.push({ oid: this.#oid, lines: [line] });
        this.bytes += 200;
      }
      this.bytes += 2 * line.length + 32;
      this.#oid = undefined;
    }
  }
}

async function askGit(repo: Repository, commit: string, path: string, range: LineRange | undefined): Promise<Lines> {
  const reader = new PorcelainReader();
  const only = range === undefined ? [] : ['-L', `${range.start},${range.end}`];
  try {
    await readRecords(
      ['blame', '--porcelain', '--no-textconv', '--encoding=none', ...only, commit, '--', path],
      { gitDir: repo.dir, processorMs: PROCESSOR_MS, maxOutput: MAX_OUTPUT },
      (record) => reader.push(record),
    );
  } catch (error) {
    if (!(error instanceof GitError) || error.code !== 'failed') throw error;
    if (error.message.startsWith('git blame: fatal: no such path')) throw new GitError('not_found', error.message);
    if (!/ has only \d+ lines?$/.test(error.message)) throw error;
  }
  const lines = await new TextDecoding().lines(reader.ranges.flatMap((range) => range.lines));
  let at = 0;
  const decoded = reader.ranges.map(({ oid, lines: { length } }) => {
    at += length;
    return { oid, lines: lines.slice(at - length, at) };
  });
  return { ranges: decoded, bytes: reader.bytes };
}

async function readCommits(repo: Repository, ranges: readonly BlameRange[]): Promise<Map<string, Commit>> {
  const commits = new Map<string, Commit>();
  const oids = [...new Set(ranges.map((range) => range.oid))];
  for (let at = 0; at < oids.length; at += COMMITS_AT_ONCE) {
    const some = await Promise.all(oids.slice(at, at + COMMITS_AT_ONCE).map((oid) => repo.objects.commit(oid)));
    for (const commit of some) if (commit !== null) commits.set(commit.oid, commit);
  }
  return commits;
}

/**
 * Which commit each line of a file comes from, as `git blame` has it.
 * Serves `GET /projects/:id/repository/files/:file_path/blame`.
 * @param commit id of the commit the file is read at
 * @param range only these lines; none of them where the file is shorter
 * @throws GitError `invalid` for an incomplete id or an impossible range, `not_found` where the path is no file there,
 *   `output_too_large` over 128 MiB, `timeout` after a minute
 */
export async function blame(repo: Repository, commit: string, path: string, range?: LineRange): Promise<Blame> {
  checkOids([commit]);
  if (range !== undefined) {
    const { start, end } = range;
    const isPossible = Number.isInteger(start) && Number.isInteger(end) && start >= 1 && start <= end;
    if (!isPossible) throw new GitError('invalid', 'not a range of lines');
    if (start > MAX_LINE_NUMBER) return { ranges: [], commits: new Map() };
  }
  if (!isEntryPath(path) || !fitsArgument(path)) throw new GitError('not_found', 'no such path');
  const bounded = range && { start: range.start, end: Math.min(range.end, MAX_LINE_NUMBER) };
  // Since then nothing has changed, so it is kept through pushes that leave the file as it is.
  const from = await lastCommitOf(repo, commit, path);
  if (from === null) throw new GitError('not_found', 'no such path');
  const key = cacheKey(repo.id, from, path, bounded);
  const { ranges } = await results.get(key, () => askGit(repo, from, path, bounded));
  return { ranges, commits: await readCommits(repo, ranges) };
}
