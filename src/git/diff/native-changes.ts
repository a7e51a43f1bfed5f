import { isMainThread } from 'node:worker_threads';
import { compareBytes, withPooledMemory } from '../common/index.ts';
import type { TreeEntry } from '../objects/index.ts';
import type { Repository } from '../repository/index.ts';
import { type Change, changesBetween } from '../trees/index.ts';
import { emptyDiff, type FileDiff } from './diff-result.ts';

/** Limits above which files are left to git: lower if other requests wait for this thread. */
const MAX_FILES = 50;
const MAX_BYTES = (isMainThread ? 384 : 1024) * 1024;
/** Range in which git looks for a NUL byte, which makes a file binary. */
const BINARY_BYTES = 8_000;
const EMPTY = Buffer.alloc(0);
const ABSENT = '000000';
const SUBMODULE = '160000';

/** A changed file whose patch is not computed yet. */
export interface NativeChange {
  change: Change;
  diff: FileDiff;
}

/**
 * Files that differ between two commits or trees, in git's order.
 * @param from null for the empty tree
 * @returns null if git must be asked: possible renames, changes of type, or too many files
 * @throws GitError as `ObjectReader`
 */
export async function nativeChanges(repo: Repository, from: string | null, to: string): Promise<NativeChange[] | null> {
  const changes = await changesBetween(repo, from, to);
  if (changes === null || changes.length > MAX_FILES) return null;
  // These may be a renamed file.
  if (changes.some(({ before }) => before === undefined) && changes.some(({ after }) => after === undefined))
    return null;
  changes.sort((a, b) => compareBytes(a.path, b.path));
  const files: NativeChange[] = [];
  for (const change of changes) {
    const { before, after, path } = change;
    const [oldMode, newMode] = [modeOf(before), modeOf(after)];
    const none = '0'.repeat(to.length);
    const [oldOid, newOid] = [before?.oid ?? none, after?.oid ?? none];
    // A difference that git ignores.
    if (oldMode === newMode && oldOid === newOid) continue;
    const status = before === undefined ? 'A' : after === undefined ? 'D' : 'M';
    // A change of type, for example from a file to a symbolic link.
    if (status === 'M' && oldMode.slice(0, 3) !== newMode.slice(0, 3)) return null;
    const diff = emptyDiff({ oldMode, newMode, oldOid, newOid, status, oldPath: path, newPath: path });
    files.push({ change, diff });
  }
  return files;
}

/** Git only records whether a file is executable. */
function modeOf(entry: TreeEntry | undefined): string {
  if (entry === undefined) return ABSENT;
  if (!entry.mode.startsWith('100')) return entry.mode;
  return (Number.parseInt(entry.mode, 8) & 0o100) === 0 ? '100644' : '100755';
}

/** Function of a file's old and new content; both lie in reusable memory. */
type Take<T> = (old: Buffer, now: Buffer, isBinary: boolean) => T;

/** Reads the contents of changed files within a total limit. */
export class ChangedContents {
  readonly #repo: Repository;
  #left = MAX_BYTES;

  constructor(repo: Repository) {
    this.#repo = repo;
  }

  /**
   * Passes the old and new content of a file to `take`; empty if one is missing or both are equal.
   * @returns null if the total limit is exceeded, else the result of `take`
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
    // Git compares submodules in this form.
    if (entry.mode === SUBMODULE) return take(Buffer.from(`Subproject commit ${entry.oid}\n`));
    return await this.#repo.objects.useBlob(entry.oid, this.#left, (content) => {
      this.#left -= content.length;
      return take(content);
    });
  }
}

const isBinary = (content: Buffer): boolean => content.subarray(0, BINARY_BYTES).includes(0);
