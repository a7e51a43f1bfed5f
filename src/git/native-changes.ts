import { isMainThread } from 'node:worker_threads';
import { emptyDiff, type FileDiff } from './diff-result.ts';
import { compareBytes } from './git.bytes.ts';
import type { TreeEntry } from './git.objects.ts';
import type { Repository } from './git.repository.ts';
import { withPooledMemory } from './pooled-memory.ts';
import { type Change, changesBetween } from './tree-changes.ts';

/** More files, or more bytes of them before and after, are left to git: fewer where others wait for this thread. */
const MAX_FILES = 50;
const MAX_BYTES = (isMainThread ? 384 : 1024) * 1024;
/** Where git looks for a zero byte, which makes a file binary. */
const BINARY_BYTES = 8_000;
const EMPTY = Buffer.alloc(0);
const ABSENT = '000000';
const SUBMODULE = '160000';

/** A changed file, of which no patch was made yet. */
export interface NativeChange {
  change: Change;
  diff: FileDiff;
}

/**
 * The files that differ between two commits or trees, in git's order, each for itself.
 * @param from null stands for the empty tree
 * @returns null where git has to be asked: files may have been renamed, something became another kind of thing, many differ
 * @throws GitError as `ObjectReader`
 */
export async function nativeChanges(repo: Repository, from: string | null, to: string): Promise<NativeChange[] | null> {
  const changes = await changesBetween(repo, from, to);
  if (changes === null || changes.length > MAX_FILES) return null;
  // Together they may be a renamed file.
  if (changes.some(({ before }) => before === undefined) && changes.some(({ after }) => after === undefined))
    return null;
  changes.sort((a, b) => compareBytes(a.path, b.path));
  const files: NativeChange[] = [];
  for (const change of changes) {
    const { before, after, path } = change;
    const [oldMode, newMode] = [modeOf(before), modeOf(after)];
    const none = '0'.repeat(to.length);
    const [oldOid, newOid] = [before?.oid ?? none, after?.oid ?? none];
    // A difference that git does not look at.
    if (oldMode === newMode && oldOid === newOid) continue;
    const status = before === undefined ? 'A' : after === undefined ? 'D' : 'M';
    // A file that became a symbolic link, or something like it.
    if (status === 'M' && oldMode.slice(0, 3) !== newMode.slice(0, 3)) return null;
    const diff = emptyDiff({ oldMode, newMode, oldOid, newOid, status, oldPath: path, newPath: path });
    files.push({ change, diff });
  }
  return files;
}

/** Of a file git knows only whether it can be run. */
function modeOf(entry: TreeEntry | undefined): string {
  if (entry === undefined) return ABSENT;
  if (!entry.mode.startsWith('100')) return entry.mode;
  return (Number.parseInt(entry.mode, 8) & 0o100) === 0 ? '100644' : '100755';
}

/** What is made of a file before and after; both lie in memory that is used again. */
type Take<T> = (old: Buffer, now: Buffer, isBinary: boolean) => T;

/** Reads what changed files hold, up to so much in all. */
export class ChangedContents {
  readonly #repo: Repository;
  #left = MAX_BYTES;

  constructor(repo: Repository) {
    this.#repo = repo;
  }

  /**
   * What `take` makes of a file before and after; nothing stands for one that is missing, or where both are the same.
   * @returns null where they are too much, besides what `take` gives
   * @throws GitError as `ObjectReader`
   */
  async use<T>({ change, diff }: NativeChange, take: Take<T>): Promise<T | null> {
    if (diff.oldOid === diff.newOid) return take(EMPTY, EMPTY, false);
    return await withPooledMemory(async (copy) => {
      const old = await this.#read(change.before, copy);
      if (old === null) return null;
      return await this.#read(change.after, (now) => take(old, now, isBinary(old) || isBinary(now)));
    });
  }

  async #read<T>(entry: TreeEntry | undefined, take: (content: Buffer) => T): Promise<T | null> {
    if (entry === undefined) return take(EMPTY);
    // As git compares them.
    if (entry.mode === SUBMODULE) return take(Buffer.from(`Subproject commit ${entry.oid}\n`));
    return await this.#repo.objects.useBlob(entry.oid, this.#left, (content) => {
      this.#left -= content.length;
      return take(content);
    });
  }
}

const isBinary = (content: Buffer): boolean => content.subarray(0, BINARY_BYTES).includes(0);
