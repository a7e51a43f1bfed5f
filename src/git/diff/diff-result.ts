import { isUtf8 } from 'node:buffer';
import { TextDecoding } from '../common/index.ts';
import type { RawChange } from './raw-diff.ts';

/** Limits of a comparison result. */
export interface DiffLimits {
  /** Maximum number of files; above it `overflow` is set. */
  maxFiles: number;
  /** Maximum number of patch lines over all files; above it `overflow` is set. */
  maxLines: number;
  /** Maximum number of patch bytes over all files; above it `overflow` is set. */
  maxBytes: number;
  /** Maximum number of patch bytes of one file; above it the file is `tooLarge` and its patch is empty. */
  maxPatchBytes: number;
  /** Whether to include every patch within the limits; otherwise long ones are `collapsed`, which omits them. */
  expanded: boolean;
}

export interface FileDiff {
  oldPath: string;
  newPath: string;
  /** Six octal digits, or `0` on the side where the file is missing. */
  aMode: string;
  bMode: string;
  /** Blob ids; all zeros if the file is missing. */
  oldOid: string;
  newOid: string;
  newFile: boolean;
  renamedFile: boolean;
  deletedFile: boolean;
  /** The hunks from the first `@@` on; for binary files the single line that git prints; empty if omitted. */
  diff: string;
  binary: boolean;
  collapsed: boolean;
  tooLarge: boolean;
  additions: number;
  deletions: number;
}

export interface DiffResult {
  files: FileDiff[];
  /** Whether a limit truncated the result. */
  overflow: boolean;
  /** Number of changed files, including omitted ones. */
  changedFiles: number;
}

/** Limits above which further patches are collapsed, unless `expanded` is set. */
const SAFE_FILES = 100;
const SAFE_LINES = 5_000;
const SAFE_BYTES = 500 * 1024;

/** Mode as displayed. */
function side(mode: string): string {
  return mode === '000000' ? '0' : mode;
}

/** The diff of a file without its patch. */
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

/** Patch of one file: its length, and a function that returns its bytes on demand. */
export interface Patch {
  bytes: number;
  lines: number;
  content: () => Buffer;
}

/** Collects the diffs of files within the limits. */
export class DiffCollector {
  readonly #limits: DiffLimits;
  readonly #files: FileDiff[] = [];
  /** Patches that are not UTF-8, which take longer to decode. */
  readonly #undecoded: { file: FileDiff; content: Buffer }[] = [];
  #lines = 0;
  #bytes = 0;
  /** Whether a limit was exceeded: nothing more is added. */
  isOver = false;

  constructor(limits: DiffLimits) {
    this.#limits = limits;
  }

  /** Adds a file without a patch. */
  addEmpty(file: FileDiff): void {
    this.#files.push(file);
  }

  /** Adds a file with its patch, which is omitted if it is too long. @returns whether more files can be added */
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

  /** @param changedFiles total number, including omitted files */
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
