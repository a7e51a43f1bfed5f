import { parseRawLine, type RawChange } from './raw-diff.ts';

/** How much of a comparison is kept. */
export interface DiffLimits {
  /** Files past this number are left out, and `overflow` is set. */
  maxFiles: number;
  /** Lines of patch over all files; past it the rest is left out, and `overflow` is set. */
  maxLines: number;
  /** Bytes of patch over all files; past it the rest is left out, and `overflow` is set. */
  maxBytes: number;
  /** Bytes of one file's patch; past it the file is `tooLarge` and its patch is empty. */
  maxPatchBytes: number;
  /** Give every patch within the limits; otherwise long ones are `collapsed`: left out as well. */
  expanded: boolean;
}

export interface FileDiff {
  oldPath: string;
  newPath: string;
  /** Six octal digits, or `0` on the side where the file is missing. */
  aMode: string;
  bMode: string;
  /** The blobs' ids; all zeros where the file is missing. */
  oldOid: string;
  newOid: string;
  newFile: boolean;
  renamedFile: boolean;
  deletedFile: boolean;
  /** The hunks, from the first `@@`; for binary files the one line git prints; empty where it was left out. */
  diff: string;
  binary: boolean;
  collapsed: boolean;
  tooLarge: boolean;
  additions: number;
  deletions: number;
}

export interface DiffResult {
  files: FileDiff[];
  /** Whether a limit cut the result short. */
  overflow: boolean;
  /** How many files changed, those that were left out included. */
  changedFiles: number;
}

const HEADER = Buffer.from('diff --git ');
const BINARY = Buffer.from('Binary files ');
const NEWLINE = 0x0a;
const COLON = 0x3a;
const AT = 0x40;
const PLUS = 0x2b;
const MINUS = 0x2d;
/** Past these, and while patches may be collapsed, further patches are. */
const SAFE_FILES = 100;
const SAFE_LINES = 5_000;
const SAFE_BYTES = 500 * 1024;

/** Whether a line, from `start` to `end`, begins with a text. */
function startsWith(bytes: Buffer, start: number, end: number, prefix: Buffer): boolean {
  if (bytes[start] !== prefix[0] || end - start < prefix.length) return false;
  return bytes.compare(prefix, 0, prefix.length, start, start + prefix.length) === 0;
}

/** Lines that follow on each other in some bytes. */
interface Run {
  bytes: Buffer;
  start: number;
  /** Behind the line feed of the last line; past the end of the bytes where that is not in them. */
  end: number;
}

const textOf = ({ bytes, start, end }: Run): Buffer =>
  end > bytes.length ? Buffer.concat([bytes.subarray(start), Buffer.of(NEWLINE)]) : bytes.subarray(start, end);

function side(mode: string): string {
  return mode === '000000' ? '0' : mode;
}

function emptyDiff(change: RawChange): FileDiff {
  return {
    oldPath: change.oldPath,
    newPath: change.newPath,
    aMode: side(change.oldMode),
    bMode: side(change.newMode),
    oldOid: change.oldOid,
    newOid: change.newOid,
    newFile: change.status === 'A',
    renamedFile: change.status === 'R',
    deletedFile: change.status === 'D',
    diff: '',
    binary: false,
    collapsed: false,
    tooLarge: false,
    additions: 0,
    deletions: 0,
  };
}

/**
 * Builds the diffs of files from the lines of `git diff-tree --raw --patch`, one after the other. First come the raw
 * lines, then the patches in the same order; a file whose lines differ in ignored blanks only has no patch.
 */
export class PatchParser {
  readonly #limits: DiffLimits;
  readonly #changes: RawChange[] = [];
  readonly #files: FileDiff[] = [];
  #changedFiles = 0;
  #next = 0;
  #lines = 0;
  #bytes = 0;
  #overflow = false;
  #current: FileDiff | null = null;
  #patch: Run[] = [];
  #patchLines = 0;
  #patchBytes = 0;
  #inHunks = false;

  constructor(limits: DiffLimits) {
    this.#limits = limits;
  }

  /**
   * Takes the next line, without its line feed: these bytes from `start` to `end`, which must stay as they are.
   * @param wholeLength its length, where this is only its beginning
   * @returns false once nothing more will be kept
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

  /** The result, once all lines were pushed or `push` gave false. */
  finish(): DiffResult {
    if (!this.#overflow && this.#close()) this.#skipTo(this.#changes.length);
    return {
      files: this.#files,
      overflow: this.#overflow || this.#changedFiles > this.#files.length,
      changedFiles: this.#changedFiles,
    };
  }

  #addChanges(line: Buffer): void {
    const changes = parseRawLine(line);
    this.#changedFiles += changes.length;
    if (this.#changes.length < this.#limits.maxFiles) this.#changes.push(...changes);
  }

  /** Files between the last patch and this one have none. */
  #skipTo(end: number): void {
    for (; this.#next < end; this.#next += 1) this.#files.push(emptyDiff(this.#changes[this.#next]!));
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

  /** What was taken of the file at hand. */
  #text(): string {
    const [first, ...others] = this.#patch;
    if (first === undefined) return '';
    return (others.length === 0 ? textOf(first) : Buffer.concat(this.#patch.map(textOf))).toString('utf8');
  }

  /** Ends the file at hand; gives whether the limits leave room for another. */
  #close(): boolean {
    const current = this.#current;
    if (current === null) return true;
    const limits = this.#limits;
    this.#current = null;
    current.tooLarge = this.#patchBytes > limits.maxPatchBytes;
    if (!current.tooLarge) {
      this.#lines += this.#patchLines;
      this.#bytes += this.#patchBytes;
      this.#overflow = this.#lines > limits.maxLines || this.#bytes > limits.maxBytes;
      current.collapsed = !limits.expanded && this.#patchLines > 0 && this.#isPastSafety();
      if (current.collapsed) {
        this.#lines -= this.#patchLines;
        this.#bytes -= this.#patchBytes;
        this.#overflow = false;
      } else {
        current.diff = this.#text();
      }
    }
    this.#patch = [];
    this.#patchLines = 0;
    this.#patchBytes = 0;
    this.#inHunks = false;
    if (!this.#overflow) this.#files.push(current);
    return !this.#overflow;
  }

  #isPastSafety(): boolean {
    return (
      this.#patchBytes > this.#limits.maxPatchBytes / 10 ||
      this.#files.length >= SAFE_FILES ||
      this.#lines > SAFE_LINES ||
      this.#bytes > SAFE_BYTES
    );
  }
}
