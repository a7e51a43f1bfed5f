import { GitError } from '../common/index.ts';
import { KINDS, NOTHING } from './path-index-format.ts';

/** Arguments of the git command whose output `ChangedEntries` parses. Its input is a list of commit ids. */
export const CHANGED_ENTRIES: readonly string[] = [
  'diff-tree',
  '--stdin',
  '--root',
  '--always',
  '-r',
  '-t',
  '-z',
  '--raw',
  '--no-abbrev',
  '--no-renames',
  '--diff-merges=first-parent',
  '--ignore-submodules=none',
];

/**
 * Receives a changed entry: the hexadecimal new id starts at `id` in `bytes`, the path reaches from `path` to `end`.
 */
export type OnEntry = (kind: number, bytes: Buffer, id: number, path: number, end: number) => void;

const COLON = 0x3a;
/** Offset of the new mode in an entry, after `:100644 `. */
const MODE = 8;
/** Offset of the old id. */
const OLD_ID = 15;
const KIND_OF = new Map(KINDS.map((mode, kind) => [mode.padStart(6, '0'), kind]));
const GONE = '000000';

/** Parses git's output about the entries that commits changed. */
export class ChangedEntries {
  readonly #onCommit: (oid: string) => void;
  readonly #onEntry: OnEntry;
  #rest: Buffer = Buffer.alloc(0);

  constructor(onCommit: (oid: string) => void, onEntry: OnEntry) {
    this.#onCommit = onCommit;
    this.#onEntry = onEntry;
  }

  /** Whether no partial entry is pending. */
  get isWhole(): boolean {
    return this.#rest.length === 0;
  }

  /** @throws GitError `failed` for malformed output */
  take(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let at = 0;
    for (let end = bytes.indexOf(0, at); end >= 0; end = bytes.indexOf(0, at)) {
      if (bytes[at] !== COLON) {
        this.#onCommit(bytes.toString('latin1', at, end));
        at = end + 1;
        continue;
      }
      const pathEnd = bytes.indexOf(0, end + 1);
      if (pathEnd < 0) break;
      this.#entry(bytes, at, end + 1, pathEnd);
      at = pathEnd + 1;
    }
    this.#rest = Buffer.from(bytes.subarray(at));
  }

  #entry(bytes: Buffer, at: number, path: number, end: number): void {
    const id = bytes.indexOf(0x20, at + OLD_ID) + 1;
    const mode = bytes.toString('latin1', at + MODE, at + MODE + 6);
    const kind = mode === GONE ? NOTHING : KIND_OF.get(mode);
    if (kind === undefined || id <= at || id > path) throw new GitError('failed', 'git diff-tree: unreadable output');
    this.#onEntry(kind, bytes, id, path, end);
  }
}
