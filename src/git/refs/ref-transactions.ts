import { readdir, rmdir, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { forEachWithConcurrency } from '../../core/concurrency.ts';
import { bytesPath, GitError, KeyedQueue } from '../common/index.ts';
import { isFolder, isMissing, isTaken, LockFile, removeEmptyFolders, syncIfThere, syncPath } from '../files/index.ts';
import type { ObjectReader } from '../objects/index.ts';
import { addPacked, removePacked } from './packed-refs-edit.ts';
import { RefLocks } from './ref-locks.ts';
import { checkTargets, checkUpdates, namesAbove, type RefUpdate } from './ref-update.ts';

const MAX_WAITING = 1_000;
/**
 * Maximum wait for a lock of another process: of a reference, and of the packed ones. Git waits 0.1 and 1 second, which
 * is too short if the holder gets no processor time.
 */
const LOCK_MS = 1_000;
const PACKED_LOCK_MS = 5_000;
/** Number of references whose files are processed concurrently. */
const PARALLEL = 16;
/** Minimum number of changed references that are packed, so that one file is synced instead of many. */
const PACKED_FROM = 100;
/** Number of references processed on disk, and by name only, before yielding. */
const BATCH_SIZE = 100;
const NAMES_AT_ONCE = 2_000;

/** Access to the existing references, under their locks. */
export interface PresentRefs {
  /** Current id; null if it does not exist. @throws GitError `corrupt` */
  resolve(ref: string): Promise<string | null>;
  /** Packed id; null if it is not packed. */
  packed(ref: string): string | null;
  /** Whether a packed reference conflicts with a new one: it has one of these names, or one below the prefix. */
  isPackedInTheWay(above: Iterable<string>, prefix: string): boolean;
}

/** Options of a reference transaction. */
export interface TransactionOptions {
  /**
   * Fulfils once the new objects are stored, for objects that are still being written. Awaited when all locks are taken
   * and contain the new ids. Returns the ids that did not exist before: these commits are not checked again.
   */
  stored?: Promise<ReadonlySet<string>> | undefined;
  /**
   * Fences this writer off: called when all locks are taken, before the first reference changes. Throws if another
   * process may have removed these locks as orphaned. Then nothing changes, and no lock is removed, since it may belong
   * to another writer by now.
   */
  fence?: (() => Promise<void>) | undefined;
}

/** A reference with its lock. */
interface Held {
  update: RefUpdate;
  lock: LockFile;
  present: string | null;
}

/**
 * Changes references of one repository, one transaction at a time, with git's own locking rules: each reference has a
 * lock file, which is renamed into place; deletions also lock the packed references.
 */
export class RefTransactions {
  readonly #dir: string;
  readonly #objects: () => ObjectReader;
  readonly #refs: PresentRefs;
  /** Created folders whose names are not durable yet. */
  readonly #made = new Set<string>();
  readonly #queue = new KeyedQueue({ maxWaiting: MAX_WAITING });

  /** @param objects of the same repository */
  constructor(dir: string, objects: () => ObjectReader, refs: PresentRefs) {
    this.#dir = dir;
    this.#objects = objects;
    this.#refs = refs;
  }

  /**
   * Applies all updates or none; durable when it fulfils. A crash may leave some applied, and locks behind.
   * @throws errors of `stored` and `fence`; GitError `conflict`, `locked`, `invalid`, `corrupt`, `busy`; the file
   *   system's error
   */
  async run(updates: readonly RefUpdate[], options: TransactionOptions = {}): Promise<void> {
    checkUpdates(updates);
    if (updates.length === 0) return;
    await this.#queue.run('', async () => {
      if (options.stored === undefined) await checkTargets(this.#objects(), updates);
      await this.#refuseCollisions(updates);
      if (updates.length >= PACKED_FROM) return this.#applyMany(updates, options);
      // The folder of a single reference is synced together with it.
      const alone = updates.length === 1 && updates[0]!.new !== null ? dirname(updates[0]!.ref) : null;
      const isDurable = await this.#apply(updates, alone, options);
      if (isDurable && this.#made.size === 0) return;
      const put = updates.filter((update) => update.new !== null);
      const foldersOf = (some: readonly RefUpdate[]) => new Set(some.map(({ ref }) => dirname(ref)));
      await this.#sync(foldersOf(updates), foldersOf(put));
    });
  }

  /**
   * @param folder of all references, if it must be durable with the last of them
   * @returns whether it is
   */
  async #apply(
    updates: readonly RefUpdate[],
    folder: string | null,
    { stored, fence }: TransactionOptions,
  ): Promise<boolean> {
    const held: Held[] = [];
    const taken: LockFile[] = [];
    let isDurable = false;
    try {
      await forEachWithConcurrency(updates, PARALLEL, null, async (update) => {
        const content = update.new !== null && update.new !== update.old ? `${update.new}\n` : null;
        const lock = await LockFile.take(this.#dir, update.ref, LOCK_MS, this.#made, content);
        taken.push(lock);
        const one: Held = { update, lock, present: null };
        held.push(one);
        lock.close();
        one.present = await this.#checked(update, await this.#refs.resolve(update.ref));
      });
      await this.#awaitTargets(updates, stored);
      const deleted = held.filter(({ update }) => update.new === null).map(({ update }) => update.ref);
      if (deleted.length > 0) taken.push(await this.#lockPacked());
      await fence?.();
      await forEachWithConcurrency(held, PARALLEL, null, async (one) => {
        if (await this.#put(one, folder)) isDurable = true;
      });
      if (deleted.length > 0) await removePacked(this.#dir, deleted);
      await forEachWithConcurrency(deleted, PARALLEL, null, (ref) => remove(bytesPath(this.#dir, ref)));
    } catch (error) {
      await unlessFenced(fence, taken);
      throw error;
    } finally {
      await forEachWithConcurrency(taken.reverse(), PARALLEL, null, (lock) => lock.release());
    }
    const left = new Set(updates.filter(({ new: oid }) => oid === null).map(({ ref }) => dirname(ref)));
    for (const each of left) await removeEmptyFolders(this.#dir, each);
    return isDurable;
  }

  /**
   * Like `#apply`, for many references: they are packed, and their loose files are removed. The work on each file runs
   * on the writer thread.
   */
  async #applyMany(updates: readonly RefUpdate[], { stored, fence }: TransactionOptions): Promise<void> {
    const locks = new RefLocks(this.#dir, this.#made);
    let packed: LockFile | undefined;
    const files: string[] = [];
    try {
      const loose = await locks.take(
        updates.map(({ ref }) => ref),
        LOCK_MS,
      );
      packed = await this.#lockPacked();
      const set = new Map<string, string>();
      const gone: string[] = [];
      for (const [index, update] of updates.entries()) {
        if (index % BATCH_SIZE === BATCH_SIZE - 1) await nextTurn();
        const { ref, new: newOid } = update;
        const file = loose[index]!;
        if (file === 'broken') throw new GitError('corrupt', `${ref} holds no object id`);
        const isFile = file !== null && file !== 'folder';
        const present = await this.#checked(update, isFile ? file.oid : this.#refs.packed(ref), file === 'folder');
        if (present === newOid) continue;
        if (newOid === null) gone.push(ref);
        else set.set(ref, newOid);
        if (isFile) files.push(ref);
      }
      await this.#awaitTargets(updates, stored);
      await fence?.();
      if (set.size > 0) await addPacked(this.#dir, set);
      if (gone.length > 0) await removePacked(this.#dir, gone);
      await locks.remove(files);
    } catch (error) {
      await unlessFenced(fence, packed === undefined ? [locks] : [locks, packed]);
      throw error;
    } finally {
      await packed?.release();
      await locks.release();
      for (const folder of new Set(updates.map(({ ref }) => dirname(ref)))) await removeEmptyFolders(this.#dir, folder);
    }
    await this.#sync(new Set(files.map((ref) => dirname(ref))), new Set());
  }

  #lockPacked(): Promise<LockFile> {
    return LockFile.take(this.#dir, 'packed-refs', PACKED_LOCK_MS, this.#made);
  }

  async #awaitTargets(updates: readonly RefUpdate[], stored: Promise<ReadonlySet<string>> | undefined): Promise<void> {
    if (stored === undefined) return;
    const fresh = await stored;
    const others = updates.filter((update) => update.new === null || !fresh.has(update.new));
    await checkTargets(this.#objects(), others);
  }

  /**
   * Current id of a locked reference, after checking that the update may be made.
   * @param mayBeFolder false if it is known that no folder is in its place
   */
  async #checked(
    { ref, old, new: newOid }: RefUpdate,
    present: string | null,
    mayBeFolder = true,
  ): Promise<string | null> {
    if (old !== undefined && present !== old) {
      throw new GitError('conflict', `cannot lock ref '${ref}': is at ${present} but expected ${old}`);
    }
    if (present !== null || newOid === null) return present;
    if (mayBeFolder) await clearFolder(bytesPath(this.#dir, ref), ref);
    this.#refusePackedInTheWay(ref);
    return null;
  }

  #refusePackedInTheWay(ref: string): void {
    if (this.#refs.isPackedInTheWay(namesAbove(ref), `${ref}/`)) throw inTheWay(ref);
  }

  /** @returns whether its file was renamed into a folder whose names are durable by now */
  async #put({ update, lock, present }: Held, folder: string | null): Promise<boolean> {
    if (update.new === null || update.new === present) return false;
    const path = bytesPath(this.#dir, update.ref);
    try {
      return await lock.commit(folder);
    } catch (error) {
      // Another process has just created a folder with this name.
      if (!(await isFolder(path))) throw error;
      await clearFolder(path, update.ref);
      this.#refusePackedInTheWay(update.ref);
      return await lock.commit(folder);
    }
  }

  /** @throws GitError if one name is a folder of another: `conflict` for an existing reference, else `invalid` */
  async #refuseCollisions(updates: readonly RefUpdate[]): Promise<void> {
    const names = new Set(updates.map(({ ref }) => ref));
    for (const [index, { ref, new: newOid }] of updates.entries()) {
      if (index % NAMES_AT_ONCE === NAMES_AT_ONCE - 1) await nextTurn();
      for (const name of newOid === null ? [] : namesAbove(ref)) {
        if (!names.has(name)) continue;
        if ((await this.#refs.resolve(name)) !== null) throw inTheWay(ref);
        throw new GitError('invalid', `cannot process '${name}' and '${ref}' at the same time`);
      }
    }
  }

  /**
   * Makes changes in folders and created folders durable.
   * @param filled folders that received a file
   */
  async #sync(changed: ReadonlySet<string>, filled: ReadonlySet<string>): Promise<void> {
    const made = [...this.#made];
    const folders = new Set([...changed, ...made.map((folder) => dirname(folder))]);
    const present = new Set<string>();
    let packedMeanwhile = false;
    for (const folder of folders) {
      // A deletion also removes folders that become empty.
      let at = folder;
      while (at !== '.' && (await isFolder(bytesPath(this.#dir, at))) !== true) at = dirname(at);
      present.add(at);
      // Their content was packed meanwhile.
      packedMeanwhile ||= at !== folder && filled.has(folder);
    }
    await forEachWithConcurrency([...present], PARALLEL, null, async (folder) => {
      let at = folder;
      while (at !== '.' && !(await syncIfThere(bytesPath(this.#dir, at)))) at = dirname(at);
      packedMeanwhile ||= at !== folder && filled.has(folder);
    });
    if (packedMeanwhile) await syncPath(this.#dir);
    for (const folder of made) this.#made.delete(folder);
  }
}

/** After a failure, keeps locks that may belong to another writer by now. @throws errors of the fence */
async function unlessFenced(
  fence: TransactionOptions['fence'],
  taken: readonly { abandon: () => void }[],
): Promise<void> {
  try {
    await fence?.();
  } catch (fenced) {
    for (const lock of taken) lock.abandon();
    throw fenced;
  }
}

const inTheWay = (ref: string) => new GitError('conflict', `cannot lock ref '${ref}': another ref is in the way`);

async function remove(path: string | Buffer): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    // A folder may have the name of a packed reference.
    if (!isMissing(error) && !(await isFolder(path))) throw error;
  }
}

/**
 * Removes the empty folders in the place of a reference.
 * @throws GitError `conflict` if they are not empty
 */
async function clearFolder(path: string | Buffer, ref: string): Promise<void> {
  if (!(await isFolder(path))) return;
  try {
    for (const entry of await readdir(path, { encoding: 'buffer', withFileTypes: true })) {
      if (!entry.isDirectory()) throw inTheWay(ref);
      await clearFolder(Buffer.concat([Buffer.from(path), Buffer.from('/'), entry.name]), ref);
    }
    await rmdir(path);
  } catch (error) {
    if (isTaken(error)) throw inTheWay(ref);
    if (!isMissing(error)) throw error;
  }
}
