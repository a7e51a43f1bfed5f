import { isUtf8 } from 'node:buffer';
import type { RawChange } from './raw-diff.ts';
import { TextDecoding } from './text-encoding.ts';

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

/** Past these, and while patches may be collapsed, further patches are. */
const SAFE_FILES = 100;
const SAFE_LINES = 5_000;
const SAFE_BYTES = 500 * 1024;

/** A mode as it is shown. */
function side(mode: string): string {
  return mode === '000000' ? '0' : mode;
}

/** What is told of a change without its patch. */
export function emptyDiff(change: Omit<RawChange, 'header'>): FileDiff {
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

/** The patch of one file: how long it is, and its bytes, which are put together where there is room for them. */
export interface Patch {
  bytes: number;
  lines: number;
  content: () => Buffer;
}

/** The diffs of files one after the other, as far as the limits allow. */
export class DiffCollector {
  readonly #limits: DiffLimits;
  readonly #files: FileDiff[] = [];
  /** Patches that are not UTF-8, which take longer to decode. */
  readonly #undecoded: { file: FileDiff; content: Buffer }[] = [];
  #lines = 0;
  #bytes = 0;
  /** Whether a limit was passed: nothing more is kept. */
  isOver = false;

  constructor(limits: DiffLimits) {
    this.#limits = limits;
  }

  /** Adds a file that has no patch. */
  addEmpty(file: FileDiff): void {
    this.#files.push(file);
  }

  /** Adds a file with its patch, which is left out where it is too long by itself. @returns whether there is room for another */
  add(file: FileDiff, patch: Patch): boolean {
    const limits = this.#limits;
    file.tooLarge = patch.bytes > limits.maxPatchBytes;
    if (!file.tooLarge) {
      this.#lines += patch.lines;
      this.#bytes += patch.bytes;
      this.isOver = this.#lines > limits.maxLines || this.#bytes > limits.maxBytes;
      file.collapsed = !limits.expanded && patch.lines > 0 && this.#isPastSafety(patch.bytes);
      if (file.collapsed) {
        this.#lines -= patch.lines;
        this.#bytes -= patch.bytes;
        this.isOver = false;
      } else {
        const content = patch.content();
        if (isUtf8(content)) file.diff = content.toString('utf8');
        else if (!this.isOver) this.#undecoded.push({ file, content });
      }
    }
    if (!this.isOver) this.#files.push(file);
    return !this.isOver;
  }

  /** @param changedFiles in all, those that were left out included */
  async result(changedFiles: number): Promise<DiffResult> {
    const decoding = new TextDecoding();
    for (const { file, content } of this.#undecoded.splice(0)) file.diff = await decoding.patch(content);
    return { files: this.#files, overflow: this.isOver || changedFiles > this.#files.length, changedFiles };
  }

  #isPastSafety(patchBytes: number): boolean {
    return (
      patchBytes > this.#limits.maxPatchBytes / 10 ||
      this.#files.length >= SAFE_FILES ||
      this.#lines > SAFE_LINES ||
      this.#bytes > SAFE_BYTES
    );
  }
}
