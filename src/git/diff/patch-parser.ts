import { DiffCollector, type DiffLimits, type DiffResult, emptyDiff, type FileDiff } from './diff-result.ts';
import { parseRawLine, type RawChange } from './raw-diff.ts';

const HEADER = Buffer.from('diff --git ');
const BINARY = Buffer.from('Binary files ');
const NEWLINE = 0x0a;
const COLON = 0x3a;
const AT = 0x40;
const PLUS = 0x2b;
const MINUS = 0x2d;
/** Whether the line from `start` to `end` starts with a prefix. */
function startsWith(bytes: Buffer, start: number, end: number, prefix: Buffer): boolean {
  if (bytes[start] !== prefix[0] || end - start < prefix.length) return false;
  return bytes.compare(prefix, 0, prefix.length, start, start + prefix.length) === 0;
}

/** Consecutive lines in a buffer. */
interface Run {
  bytes: Buffer;
  start: number;
  /** Position after the line feed of the last line; beyond the buffer if the line feed is not in it. */
  end: number;
}

const textOf = ({ bytes, start, end }: Run): Buffer =>
  end > bytes.length ? Buffer.concat([bytes.subarray(start), Buffer.of(NEWLINE)]) : bytes.subarray(start, end);

/**
 * Parses `git diff-tree --raw --patch` line by line into file diffs. All raw lines come first, then the patches in the
 * same order; a file with only ignored whitespace changes has no patch.
 */
export class PatchParser {
  readonly #limits: DiffLimits;
  readonly #changes: RawChange[] = [];
  readonly #files: DiffCollector;
  #changedFiles = 0;
  #next = 0;
  #current: FileDiff | null = null;
  #patch: Run[] = [];
  #patchLines = 0;
  #patchBytes = 0;
  #inHunks = false;

  constructor(limits: DiffLimits) {
    this.#limits = limits;
    this.#files = new DiffCollector(limits);
  }

  /**
   * Parses the next line, the bytes from `start` to `end` without the line feed. The bytes must not change afterwards.
   * @param wholeLength its full length, if it is truncated
   * @returns false once nothing more is needed
   */
  push(bytes: Buffer, start: number, end: number, wholeLength: number): boolean {
    if (this.#current === null) {
      if (bytes[start] === COLON && start < end) this.#addChanges(bytes.subarray(start, end));
      else if (startsWith(bytes, start, end, HEADER)) return this.#open(bytes.toString('latin1', start, end));
      return true;
    }
    if (startsWith(bytes, start, end, HEADER)) return this.#close() && this.#open(bytes.toString('latin1', start, end));
    this.#take(bytes, start, end, wholeLength);
    return true;
  }

  /** The result, once all lines were pushed or `push` returned false. */
  async finish(): Promise<DiffResult> {
    if (!this.#files.isOver && this.#close()) this.#skipTo(this.#changes.length);
    return await this.#files.result(this.#changedFiles);
  }

  #addChanges(line: Buffer): void {
    const changes = parseRawLine(line);
    this.#changedFiles += changes.length;
    if (this.#changes.length < this.#limits.maxFiles) this.#changes.push(...changes);
  }

  /** Files between the previous patch and this one have none. */
  #skipTo(end: number): void {
    for (; this.#next < end; this.#next += 1) this.#files.addEmpty(emptyDiff(this.#changes[this.#next]!));
  }

  #open(header: string): boolean {
    let index = this.#next;
    while (index < this.#changes.length && this.#changes[index]!.header !== header) index += 1;
    this.#skipTo(index);
    if (index === this.#changes.length) return false;
    this.#current = emptyDiff(this.#changes[index]!);
    this.#next = index + 1;
    return true;
  }

  #take(bytes: Buffer, start: number, end: number, wholeLength: number): void {
    const current = this.#current!;
    const sign = start < end ? bytes[start] : undefined;
    if (!this.#inHunks) {
      if (sign === AT) this.#inHunks = true;
      else if (startsWith(bytes, start, end, BINARY)) current.binary = true;
      else return;
    } else if (sign === PLUS) current.additions += 1;
    else if (sign === MINUS) current.deletions += 1;
    this.#patchLines += 1;
    this.#patchBytes += wholeLength + 1;
    if (this.#patchBytes > this.#limits.maxPatchBytes) {
      this.#patch = [];
      return;
    }
    const last = this.#patch.at(-1);
    if (last !== undefined && last.bytes === bytes && last.end === start) last.end = end + 1;
    else this.#patch.push({ bytes, start, end: end + 1 });
  }

  /** Collected content of the current file. */
  #content(): Buffer {
    const [first, ...others] = this.#patch;
    if (first === undefined) return Buffer.alloc(0);
    return others.length === 0 ? textOf(first) : Buffer.concat(this.#patch.map(textOf));
  }

  /** Ends the current file; returns whether the limits allow another one. */
  #close(): boolean {
    const current = this.#current;
    if (current === null) return true;
    this.#current = null;
    const patch = { bytes: this.#patchBytes, lines: this.#patchLines, content: () => this.#content() };
    const goesOn = this.#files.add(current, patch);
    this.#patch = [];
    this.#patchLines = 0;
    this.#patchBytes = 0;
    this.#inHunks = false;
    return goesOn;
  }
}
