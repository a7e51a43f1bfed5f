import { setImmediate as nextTurn } from 'node:timers/promises';
import { decodeBytes, GitError } from '../../git/common/index.ts';
import { recordBatches } from '../../git/process/index.ts';
import type { Repository } from '../../git/repository/index.ts';
import type { CodeQuery } from './code-query.ts';

/** A match of a path, or lines with matches in a file. */
export interface FileMatch {
  path: string;
  /** Number of the first line. */
  startline: number;
  /** The lines; null for a match of the path. */
  lines: Buffer[] | null;
  /** Id of the file for a match of the path. */
  oid: string | null;
}

/** Limits of a search in one repository. */
export interface GrepLimits {
  /** Maximum number of matches. */
  matches: number;
  /** Processor time in milliseconds of each git process. */
  cpuMs: number;
  contextLines: number;
  /** Bytes of lines that may still be kept by the whole search; counted down. */
  memory: { bytes: number };
}

/** Matches beyond this number of lines begin another one. */
const MAX_LINES = 100;
/** Further bytes of a line are left out. */
const MAX_LINE = 1_000;
/** Maximum length of a record: path, number and text. Files with longer paths are not found. */
const MAX_RECORD = 8 * 1024;
/** Time in milliseconds after which other work has its turn. */
const TURN_MS = 2;
const NUL = 0;
const REGULAR_FILE = /^100\d{3} blob ([0-9a-f]+)\t/;
/** Exit code of git if it found nothing. */
const NOTHING_FOUND = 1;

/** Runs git, and takes its output record by record, until there is enough. */
async function takeRecords(
  args: readonly string[],
  options: { gitDir: string; cpuMs: number; separator?: number; input?: string },
  take: (record: Buffer, wholeLength: number) => boolean,
): Promise<void> {
  let until = performance.now() + TURN_MS;
  for await (const batch of recordBatches(args, { ...options, maxRecord: MAX_RECORD })) {
    for (const { record, length } of batch) {
      if (!take(record, length)) return;
      if (performance.now() < until) continue;
      await nextTurn();
      until = performance.now() + TURN_MS;
    }
  }
}

/**
 * Finds files of a commit by their path.
 * @param found receives the matches, so that those before an error are kept
 * @throws GitError `timeout`, `busy`, `corrupt`, `failed`
 */
export async function findByPath(
  repo: Repository,
  commit: string,
  query: CodeQuery,
  { matches, cpuMs }: GrepLimits,
  found: (match: FileMatch) => void,
): Promise<void> {
  let count = 0;
  const options = { gitDir: repo.dir, separator: NUL, cpuMs };
  await takeRecords(['ls-tree', '-r', '-z', '--full-tree', commit], options, (record, wholeLength) => {
    const [head, oid = ''] = REGULAR_FILE.exec(record.toString('latin1', 0, Math.min(record.length, 100))) ?? [];
    if (head === undefined || record.length < wholeLength) return true;
    const path = decodeBytes(record.subarray(head.length));
    if (!query.isIn(path) || !query.allows(path)) return true;
    found({ path, startline: 1, lines: null, oid });
    count += 1;
    return count < matches;
  });
}

/** Collects the lines that git prints. */
class Collector {
  readonly #found: (match: FileMatch) => void;
  #count = 0;
  readonly #prefix: Buffer;
  readonly #query: CodeQuery;
  readonly #limits: GrepLimits;
  /** Beginning of a record whose path contains a line feed. */
  #begun: Buffer | null = null;
  #current: (FileMatch & { lines: Buffer[] }) | null = null;
  /** Path as bytes, with whether the filters allow it. */
  #file: { bytes: Buffer; path: string; allowed: boolean } | null = null;

  constructor(commit: string, query: CodeQuery, limits: GrepLimits, found: (match: FileMatch) => void) {
    this.#found = found;
    this.#prefix = Buffer.from(`${commit}:`);
    this.#query = query;
    this.#limits = limits;
  }

  /** Takes one line of git's output: `<commit>:<path>NUL<number>NUL<text>`. @returns whether to continue */
  take(record: Buffer): boolean {
    const line = this.#begun === null ? record : Buffer.concat([this.#begun, Buffer.from('\n'), record]);
    this.#begun = null;
    // Git prints `--` between lines that are not next to each other.
    if (!line.subarray(0, this.#prefix.length).equals(this.#prefix)) return true;
    const pathEnd = line.indexOf(NUL, this.#prefix.length);
    const numberEnd = pathEnd === -1 ? -1 : line.indexOf(NUL, pathEnd + 1);
    if (numberEnd === -1) {
      if (line.length < MAX_RECORD) this.#begun = Buffer.from(line);
      return true;
    }
    const number = Number(line.toString('latin1', pathEnd + 1, numberEnd));
    return this.#add(line.subarray(this.#prefix.length, pathEnd), number, line.subarray(numberEnd + 1));
  }

  #add(pathBytes: Buffer, number: number, text: Buffer): boolean {
    if (this.#file === null || !this.#file.bytes.equals(pathBytes)) {
      const path = decodeBytes(pathBytes);
      this.#file = { bytes: Buffer.from(pathBytes), path, allowed: this.#query.allows(path) };
      this.#current = null;
    }
    if (!this.#file.allowed) return true;
    const { memory, matches } = this.#limits;
    const last = this.#current;
    const isNext = last !== null && number === last.startline + last.lines.length && last.lines.length < MAX_LINES;
    if (!isNext) {
      if (this.#count >= matches) return false;
      this.#current = { path: this.#file.path, startline: number, lines: [], oid: null };
      this.#found(this.#current);
      this.#count += 1;
    }
    const kept = Buffer.from(text.subarray(0, MAX_LINE));
    this.#current!.lines.push(kept);
    memory.bytes -= kept.length;
    return memory.bytes > 0;
  }
}

/**
 * Finds a text in the files of a commit, with the lines around it. Binary files are left out.
 * @param found receives the matches, to which lines are added until the end
 * @throws GitError as `findByPath`
 */
export async function findByContent(
  repo: Repository,
  commit: string,
  query: CodeQuery,
  limits: GrepLimits,
  found: (match: FileMatch) => void,
): Promise<void> {
  // Git takes several lines as several texts, and no line of text contains NUL.
  if (query.term === '' || /[\n\0]/.test(query.term) || !query.term.isWellFormed()) return;
  if (limits.matches < 1 || limits.memory.bytes <= 0) return;
  const collector = new Collector(commit, query, limits, found);
  const args = ['grep', '--ignore-case', '-I', '--fixed-strings', '--line-number', '--null', '--full-name'];
  args.push('--no-color', '--threads=1', `--context=${limits.contextLines}`, '-f', '-', commit);
  const options = { gitDir: repo.dir, cpuMs: limits.cpuMs, input: `${query.term}\n` };
  try {
    await takeRecords(args, options, (record) => collector.take(record));
  } catch (error) {
    if (!(error instanceof GitError) || error.exitCode !== NOTHING_FOUND) throw error;
    // Git passes over a file that it cannot read.
    if (/unable to read [0-9a-f]/.test(error.message)) throw new GitError('corrupt', error.message);
  }
}
