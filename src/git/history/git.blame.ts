import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { cacheKey, checkOids, decodeBytes, GitError, ResultCache, TextDecoding } from '../common/index.ts';
import type { Commit } from '../objects/index.ts';
import { fitsArgument, isEntryPath, readRecords } from '../process/index.ts';
import type { Repository } from '../repository/index.ts';
import { type FileHistory, fileHistory } from './file-history.ts';
import { lastCommitOf } from './last-commit.ts';

/** Consecutive lines from the same commit. */
export interface BlameRange {
  oid: string;
  /** Without line ends; decoded as by `TextDecoding`. */
  lines: readonly string[];
}

export interface Blame {
  ranges: readonly BlameRange[];
  /** The commits in `ranges`. */
  commits: ReadonlyMap<string, Commit>;
}

/** First and last line, both inclusive, counted from 1. */
export interface LineRange {
  start: number;
  end: number;
}

interface Lines {
  ranges: readonly BlameRange[];
  bytes: number;
}

const CPU_MS = 30_000;
const MAX_OUTPUT = 128 * 1024 * 1024;
const MAX_LINE_NUMBER = 1_000_000_000;
const COMMITS_AT_ONCE = 500;
/** Number of lines processed before yielding. */
const LINES_AT_ONCE = 20_000;
const TAB = 9;
const NAME = Buffer.from('filename ');
/** Maximum number of separate ranges. With more, the lines in between are requested as well. */
const MAX_RANGES = 100;
/** Maximum number of previous names followed within the commits of the file. With more, git searches all commits. */
const MAX_NAMES = 10;
/** Processor time in milliseconds for each of them. */
const NAME_CPU_MS = 10_000;
const results = new ResultCache<Lines>('git_blames', ({ bytes }) => bytes);

/** A line in git's output. */
interface Line {
  oid: string;
  /** Line number in that commit, from 1 on. */
  number: number;
  text: Buffer;
}

/** Parses `git blame --porcelain`: a header with id and numbers, facts about the commit, and the line after a tab. */
class PorcelainReader {
  readonly lines: Line[] = [];
  /** Path of the file by commit, quoted if it has special characters. */
  readonly names = new Map<string, string>();
  #header: { oid: string; number: number } | undefined;

  push(record: Buffer): void {
    if (this.#header === undefined) {
      const [oid = '', number] = record.toString('latin1').split(' ', 2);
      this.#header = { oid, number: Number(number) };
    } else if (record[0] === TAB) {
      this.lines.push({ ...this.#header, text: record.subarray(1) });
      this.#header = undefined;
    } else if (record.subarray(0, NAME.length).equals(NAME)) {
      this.names.set(this.#header.oid, decodeBytes(record.subarray(NAME.length)));
    }
  }
}

/** Remaining number of previous names that may be followed. */
interface Budget {
  names: number;
}

/** Parameters of a blame. */
interface Question {
  cpuMs?: number;
  commit: string;
  path: string;
  ranges?: readonly LineRange[];
  /** Git's options before the command, and those of the command. */
  options?: readonly [before: readonly string[], after: readonly string[]];
}

async function run(
  repo: Repository,
  { commit, path, ranges = [], options, cpuMs = CPU_MS }: Question,
): Promise<PorcelainReader> {
  const reader = new PorcelainReader();
  const [before, after] = options ?? [[], []];
  const only = ranges.flatMap(({ start, end }) => ['-L', `${start},${end}`]);
  try {
    await readRecords(
      [...before, 'blame', '--porcelain', '--no-textconv', '--encoding=none', ...after, ...only, commit, '--', path],
      { gitDir: repo.dir, cpuMs, maxOutput: MAX_OUTPUT },
      (record) => reader.push(record),
    );
  } catch (error) {
    if (!(error instanceof GitError) || error.code !== 'failed') throw error;
    if (error.message.startsWith('git blame: fatal: no such path')) throw new GitError('not_found', error.message);
    if (!/ has only \d+ lines?$/.test(error.message)) throw error;
  }
  return reader;
}

/**
 * Limits git to the commits that changed the file; otherwise it would visit all commits.
 * @returns null if there are too many to list
 */
async function runWithin(
  repo: Repository,
  { head, lines }: FileHistory,
  question: Question,
): Promise<PorcelainReader | null> {
  const file = join(tmpdir(), `stithy-blame-${randomUUID()}`);
  try {
    try {
      await writeFile(file, `${lines.join('\n')}\n`);
    } catch {
      return null;
    }
    // Git would trust the parents in the commit-graph more than those in the file.
    return await run(repo, {
      ...question,
      commit: head,
      options: [
        ['-c', 'core.commitGraph=false'],
        ['-S', file],
      ],
    });
  } finally {
    await rm(file, { force: true });
  }
}

/** Combines line numbers into ranges. */
function rangesOf(numbers: readonly number[]): LineRange[] {
  const ranges: LineRange[] = [];
  for (const number of [...new Set(numbers)].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last?.end === number - 1) last.end = number;
    else ranges.push({ start: number, end: number });
  }
  return ranges;
}

/** Lines of a file, or of the given ranges, in order. */
async function linesOf(repo: Repository, question: Question): Promise<Line[]> {
  const lines = await linesWithin(repo, question, { names: MAX_NAMES });
  return lines ?? (await run(repo, question)).lines;
}

/**
 * Like `linesOf`, limited to the commits that changed the file.
 * @returns null if they are unknown, or the file had too many names
 */
async function linesWithin(repo: Repository, question: Question, budget: Budget): Promise<Line[] | null> {
  const history = await fileHistory(repo.history, question.commit, question.path);
  if (history === undefined) return null;
  const blamed = await runWithin(repo, history, question);
  if (blamed === null) return null;
  const { lines, names } = blamed;
  const without = new Set(history.before);
  const renamed = Map.groupBy(
    lines.filter(({ oid }) => without.has(oid)),
    ({ oid }) => oid,
  );
  if (renamed.size === 0) return lines;
  const earlier = new Map<string, Map<number, string>>();
  for (const [before, theirs] of renamed) {
    // The file had another name there.
    const path = names.get(before)!;
    budget.names -= 1;
    if (budget.names < 0 || !isPlainName(path)) return null;
    const numbers = theirs.map(({ number }) => number);
    const origins = await originsOf(repo, { commit: before, path, cpuMs: NAME_CPU_MS }, numbers, budget);
    if (origins === null) return null;
    earlier.set(before, origins);
  }
  return lines.map((line) => ({ ...line, oid: earlier.get(line.oid)?.get(line.number) ?? line.oid }));
}

/** Commits of the lines of a file, by line number; null as in `linesWithin`. */
async function originsOf(
  repo: Repository,
  question: Question,
  numbers: readonly number[],
  budget: Budget,
): Promise<Map<number, string> | null> {
  const all = rangesOf(numbers);
  const ranges = all.length > MAX_RANGES ? [{ start: 1, end: all.at(-1)!.end }] : all;
  const lines = await linesWithin(repo, { ...question, ranges }, budget);
  if (lines === null) return null;
  const asked = ranges.flatMap(({ start, end }) => Array.from({ length: end - start + 1 }, (_, nth) => start + nth));
  return new Map(lines.map(({ oid }, nth) => [asked[nth]!, oid]));
}

/** Git quotes other names. */
const isPlainName = (name: string): boolean => !name.startsWith('"') && isEntryPath(name);

async function askGit(repo: Repository, commit: string, path: string, range: LineRange | undefined): Promise<Lines> {
  const lines = await linesOf(repo, { commit, path, ranges: range === undefined ? [] : [range] });
  const texts = await new TextDecoding().lines(lines.map(({ text }) => text));
  const ranges: { oid: string; lines: string[] }[] = [];
  let bytes = 200;
  for (const [nth, { oid, text }] of lines.entries()) {
    if (nth % LINES_AT_ONCE === LINES_AT_ONCE - 1) await nextTurn();
    const last = ranges.at(-1);
    if (last?.oid === oid) last.lines.push(texts[nth]!);
    else {
      ranges.push({ oid, lines: [texts[nth]!] });
      bytes += 200;
    }
    bytes += 2 * text.length + 32;
  }
  return { ranges, bytes };
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
 * Returns the commit of each line of a file, like `git blame`. Serves `GET
 * /projects/:id/repository/files/:file_path/blame`.
 * @param commit id of the commit at which the file is read
 * @param range only these lines; empty if the file is shorter
 * @throws GitError `invalid` for an incomplete id or an invalid range, `not_found` if the path is not a file there,
 *   `output_too_large` above 128 MiB, `timeout` after 30 seconds
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
  // The file is unchanged since that commit, so the cached result survives pushes that do not touch it.
  const from = await lastCommitOf(repo, commit, path);
  if (from === null) throw new GitError('not_found', 'no such path');
  const key = cacheKey(repo.key, from, path, bounded);
  const { ranges } = await results.get(key, () => askGit(repo, from, path, bounded));
  return { ranges, commits: await readCommits(repo, ranges) };
}
