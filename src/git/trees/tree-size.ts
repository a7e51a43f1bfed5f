import { currentScope } from '../../core/request-scope.ts';
import { threadTime } from '../../core/thread-time.ts';
import { cacheKey, GitError, ResultCache } from '../common/index.ts';
import type { TreeEntry } from '../objects/index.ts';
import { isPathArgument, READ_MS } from '../process/index.ts';
import type { Repository } from '../repository/index.ts';
import { entryAt } from './git.tree.ts';
import { type LfsPointer, MAX_POINTER_BYTES, parsePointer } from './lfs.ts';

export interface TreeLimits {
  /** Total number of files, folders, links and submodules. */
  entries: number;
  /** Total size of all files in bytes. */
  bytes: number;
}

export interface TreeSizeOptions {
  /** Only this file or folder, without a trailing slash. */
  path?: string | undefined;
  /** Files and folders to exclude; taken literally, need not exist. */
  exclude?: readonly string[];
  /** Whether to search for LFS pointers. */
  pointers?: boolean;
  /** False to count only entries, without the sizes of files. */
  files?: boolean;
}

/** An LFS pointer of a tree, and the number of its paths. */
export interface CountedPointer extends LfsPointer {
  count: number;
}

export interface TreeSize {
  entries: number;
  bytes: number;
  /** Size of the largest file in bytes. */
  largest: number;
  /** Empty if they were not requested. */
  pointers: readonly CountedPointer[];
  /** The exceeded limit; the count is then incomplete. */
  exceeded: ExceededLimit | null;
}

/** `folders`: number of distinct folders; `depth`: nesting depth. */
export type ExceededLimit = keyof TreeLimits | 'folders' | 'depth';

/** A folder, shared by all its paths unless something below one of them is excluded. */
interface Folder {
  oid: string;
  /** Excluded paths below it; if there are any, `prefix` is its path with a trailing slash. */
  without: readonly string[];
  prefix: string;
  /** Number of entries directly in it. */
  entries: number;
  bytes: number;
  pointers: LfsPointer[];
  /** Its subfolders, each as often as it occurs. */
  folders: Folder[];
}

/** Git recurses for each nested folder. */
const MAX_DEPTH = 2_048;
/** Maximum number of folders in memory. */
const MAX_FOLDERS = 250_000;
const FOLDERS_AT_ONCE = 16;
const FILES_AT_ONCE = 250;
/** No pointer is shorter. */
const MIN_POINTER_BYTES = 100;

const sizes = new ResultCache<TreeSize>('git_tree_sizes', ({ pointers }) => 200 + 300 * pointers.length);

/**
 * Total size of a tree: every path counts, but each folder is read only once, since a few folders can expand to more
 * files than any disk holds. Starts no process. Cached by ids.
 * @param oid a commit or tree
 * @param cpuMs returns the processor time of this thread
 * @throws GitError `not_found` if there is nothing at `path`, `corrupt`, `timeout` after 20 seconds of this thread,
 *   `aborted`
 */
export async function treeSize(
  repo: Repository,
  oid: string,
  limits: TreeLimits,
  options: TreeSizeOptions = {},
  cpuMs: () => number = threadTime,
): Promise<TreeSize> {
  const { path = '', pointers = false, files = true } = options;
  const without = (options.exclude ?? []).filter(isPathArgument);
  return await sizes.get(cacheKey(repo.key, oid, limits, path, without, pointers, files), async () => {
    const top = await entryAt(repo, oid, path);
    if (top === null) throw new GitError('not_found', 'nothing at this path');
    const reading = new Reading(repo, limits, { pointers, files }, cpuMs);
    if (!isWithin(path, without)) await reading.start(top, path, without);
    return reading.total();
  });
}

/** Whether a path or one of its parent folders is in the list. */
const isWithin = (path: string, paths: readonly string[]): boolean =>
  path !== '' && paths.some((each) => `${path}/`.startsWith(`${each}/`));

/** Reads a tree folder by folder. */
class Reading {
  readonly #repo: Repository;
  readonly #limits: TreeLimits;
  readonly #what: { pointers: boolean; files: boolean };
  readonly #root: Folder = { oid: '', without: [], prefix: '', entries: 0, bytes: 0, pointers: [], folders: [] };
  readonly #shared = new Map<string, Folder>();
  readonly #unread: Folder[] = [];
  readonly #until: number;
  readonly #cpuMs: () => number;
  /** Totals so far, with each folder counted once. */
  #entries = 0;
  #bytes = 0;
  #largest = 0;

  constructor(repo: Repository, limits: TreeLimits, what: { pointers: boolean; files: boolean }, cpuMs: () => number) {
    this.#cpuMs = cpuMs;
    this.#until = cpuMs() + READ_MS;
    this.#repo = repo;
    this.#limits = limits;
    this.#what = what;
  }

  /** Reads all folders, or stops at a limit. */
  async start(top: TreeEntry, path: string, without: readonly string[]): Promise<void> {
    if (top.type !== 'tree') return await this.#take(this.#root, [top]);
    this.#root.folders.push(this.#folderOf(top.oid, path === '' ? '' : `${path}/`, without));
    while (this.#unread.length > 0 && this.#exceeded(this.#entries, this.#bytes) === null) {
      if (currentScope().signal?.aborted) throw new GitError('aborted', 'tree size: stopped');
      if (this.#cpuMs() > this.#until) throw new GitError('timeout', 'tree size: took too much time');
      await Promise.all(this.#unread.splice(-FOLDERS_AT_ONCE).map((folder) => this.#read(folder)));
    }
  }

  /** Totals over all paths. */
  total(): TreeSize {
    const pointers = new Map<string, CountedPointer>();
    const partly = this.#exceeded(this.#entries, this.#bytes);
    const size = { entries: this.#entries, bytes: this.#bytes, largest: this.#largest, pointers: [] };
    if (partly !== null) return { ...size, exceeded: partly };
    const order = inOrder(this.#root);
    if (order === null) return { ...size, exceeded: 'depth' };
    let entries = 0;
    let bytes = 0;
    const counts = new Map([[this.#root, 1]]);
    for (const folder of order) {
      const count = counts.get(folder)!;
      entries += count * folder.entries;
      bytes += count * folder.bytes;
      for (const pointer of folder.pointers) {
        const key = `${pointer.oid} ${pointer.size}`;
        pointers.set(key, { ...pointer, count: (pointers.get(key)?.count ?? 0) + count });
      }
      for (const child of folder.folders) counts.set(child, (counts.get(child) ?? 0) + count);
    }
    const exceeded = this.#exceeded(entries, bytes);
    return { entries, bytes, largest: this.#largest, pointers: [...pointers.values()], exceeded };
  }

  #exceeded(entries: number, bytes: number): ExceededLimit | null {
    if (this.#shared.size > MAX_FOLDERS) return 'folders';
    if (entries > this.#limits.entries) return 'entries';
    return bytes > this.#limits.bytes ? 'bytes' : null;
  }

  #folderOf(oid: string, prefix: string, paths: readonly string[]): Folder {
    const without = paths.filter((each) => each.startsWith(prefix));
    const known = without.length === 0 ? this.#shared.get(oid) : undefined;
    if (known !== undefined) return known;
    const folder: Folder = { oid, without, prefix, entries: 0, bytes: 0, pointers: [], folders: [] };
    if (without.length === 0) this.#shared.set(oid, folder);
    this.#unread.push(folder);
    return folder;
  }

  async #read(folder: Folder): Promise<void> {
    const entries = await this.#repo.objects.tree(folder.oid);
    if (entries === null) throw new GitError('corrupt', `tree ${folder.oid} is missing`);
    const { prefix, without } = folder;
    await this.#take(
      folder,
      without.length === 0 ? entries : entries.filter((e) => !without.includes(prefix + e.name)),
    );
  }

  async #take(folder: Folder, entries: readonly TreeEntry[]): Promise<void> {
    folder.entries = entries.length;
    this.#entries += entries.length;
    for (const { oid, name, type } of entries) {
      if (type === 'tree') folder.folders.push(this.#folderOf(oid, `${folder.prefix}${name}/`, folder.without));
    }
    const files = this.#what.files ? entries.filter(({ type }) => type === 'blob') : [];
    for (let at = 0; at < files.length; at += FILES_AT_ONCE) {
      if (this.#exceeded(this.#entries, this.#bytes) !== null) return;
      await Promise.all(files.slice(at, at + FILES_AT_ONCE).map((file) => this.#measure(folder, file)));
    }
  }

  async #measure(folder: Folder, { oid, mode }: TreeEntry): Promise<void> {
    const { objects } = this.#repo;
    const info = await objects.info(oid);
    if (info === null) throw new GitError('corrupt', `blob ${oid} is missing`);
    const { size } = info;
    folder.bytes += size;
    this.#bytes += size;
    this.#largest = Math.max(this.#largest, size);
    if (!this.#what.pointers || !mode.startsWith('100') || size < MIN_POINTER_BYTES || size >= MAX_POINTER_BYTES)
      return;
    const data = (await objects.read(oid, MAX_POINTER_BYTES))?.data;
    const pointer = data ? parsePointer(data) : null;
    if (pointer !== null) folder.pointers.push(pointer);
  }
}

/** All folders from a root, each before its subfolders; null if they are nested too deeply. */
function inOrder(root: Folder): Folder[] | null {
  const done: Folder[] = [];
  const depths = new Map<Folder, number>();
  const stack = [{ folder: root, next: 0, depth: 0 }];
  for (let level = stack.at(-1); level !== undefined; level = stack.at(-1)) {
    const child = level.folder.folders[level.next];
    level.next += 1;
    if (child !== undefined) {
      const depth = depths.get(child);
      if (depth === undefined) stack.push({ folder: child, next: 0, depth: 0 });
      else level.depth = Math.max(level.depth, depth + 1);
      continue;
    }
    stack.pop();
    done.push(level.folder);
    depths.set(level.folder, level.depth);
    if (level.depth > MAX_DEPTH) return null;
    const above = stack.at(-1);
    if (above !== undefined) above.depth = Math.max(above.depth, level.depth + 1);
  }
  return done.reverse();
}
