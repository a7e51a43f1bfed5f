import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { checkOids, fitsArgument, isEntryPath } from './arguments.ts';
import { decodeBytes } from './git.bytes.ts';
import { GitError } from './git.errors.ts';
import type { Commit } from './git.objects.ts';
import type { Repository } from './git.repository.ts';
import { type FileHistory, fileHistory } from './history/file-history.ts';
import { lastCommitOf } from './last-commit.ts';
import { readRecords } from './records.ts';
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

const CPU_MS = 30_000;
const MAX_OUTPUT = 128 * 1024 * 1024;
const MAX_LINE_NUMBER = 1_000_000_000;
const COMMITS_AT_ONCE = 500;
/** Lines that are worked on before others have their turn. */
const LINES_AT_ONCE = 20_000;
const TAB = 9;
const NAME = Buffer.from('filename ');
/** Of more ranges all lines between them are asked for, too. */
const MAX_RANGES = 100;
/** Earlier names of a file that are followed within its own commits: where there are more git goes through all commits. */
const MAX_NAMES = 10;
/** Milliseconds of a processor for each of them. */
const NAME_CPU_MS = 10_000;
const results = new ResultCache<Lines>(24 * 1024 * 1024, ({ bytes }) => bytes);

/** A line as git gives it. */
interface Line {
  oid: string;
  /** Its number in that commit, from 1 on. */
  number: number;
  text: Buffer;
}

/** Collects lines from `git blame --porcelain`: a header with the id and numbers, notes on commits, the line after a tab. */
class PorcelainReader {
  readonly lines: Line[] = [];
  /** What the file is called in a commit, quoted where its name is no plain one. */
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

/** How many more earlier names may be followed. */
interface Budget {
  names: number;
}

/** What a run of git is asked. */
interface Question {
  cpuMs?: number;
  commit: string;
  path: string;
  ranges?: readonly LineRange[];
  /** Git's own options before the command, and those of the command. */
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
 * Has git go through those commits alone that changed the file: it would look at all others, too.
 * @returns null where there is no room to name them
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
    // What the commit-graph says of parents would be believed rather than the file.
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

/** The numbers as few ranges. */
function rangesOf(numbers: readonly number[]): LineRange[] {
  const ranges: LineRange[] = [];
  for (const number of [...new Set(numbers)].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last?.end === number - 1) last.end = number;
    else ranges.push({ start: number, end: number });
  }
  return ranges;
}

/** The lines of a file, or those of some ranges, in their order. */
async function linesOf(repo: Repository, question: Question): Promise<Line[]> {
  const found = await linesWithin(repo, question, { names: MAX_NAMES });
  return found ?? (await run(repo, question)).lines;
}

/**
 * The same by the commits alone that changed the file.
 * @returns null where these are not known, or the file had too many names
 */
async function linesWithin(repo: Repository, question: Question, budget: Budget): Promise<Line[] | null> {
  const history = await fileHistory(repo.history, question.commit, question.path);
  if (history === undefined) return null;
  const found = await runWithin(repo, history, question);
  if (found === null) return null;
  const { lines, names } = found;
  const without = new Set(history.before);
  const renamed = Map.groupBy(
    lines.filter(({ oid }) => without.has(oid)),
    ({ oid }) => oid,
  );
  if (renamed.size === 0) return lines;
  const earlier = new Map<string, Map<number, string>>();
  for (const [before, theirs] of renamed) {
    // It had another name there.
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

/** The commits that lines of a file come from, by their numbers; null as above. */
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

/** Git puts others into quotes. */
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
 * Which commit each line of a file comes from, as `git blame` has it.
 * Serves `GET /projects/:id/repository/files/:file_path/blame`.
 * @param commit id of the commit the file is read at
 * @param range only these lines; none of them where the file is shorter
 * @throws GitError `invalid` for an incomplete id or an impossible range, `not_found` where the path is no file there,
 *   `output_too_large` over 128 MiB, `timeout` after 30 seconds
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
