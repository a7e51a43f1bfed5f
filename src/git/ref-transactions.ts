import { readdir, rmdir, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { forEachWithConcurrency } from '../core/concurrency.ts';
import { isMissing, isTaken, syncIfThere, syncPath } from './durable.ts';
import { bytesPath } from './git.bytes.ts';
import { GitError } from './git.errors.ts';
import { KeyedQueue } from './git.queue.ts';
import { isFolder, LockFile, removeEmptyFolders } from './lock-file.ts';
import type { ObjectReader } from './object-reader.ts';
import { addPacked, removePacked } from './packed-refs-edit.ts';
import { RefLocks } from './ref-locks.ts';
import { checkTargets, checkUpdates, namesAbove, type RefUpdate } from './ref-update.ts';

const MAX_WAITING = 1_000;
/**
 * How long a lock of another process is waited for: of one reference, of the packed ones. Git itself waits 0.1 and 1 second, which is
 * too little where the holder has no processor.
 */
const LOCK_MS = 1_000;
const PACKED_LOCK_MS = 5_000;
/** References whose files are worked on at once. */
const PARALLEL = 16;
/** So many references that change at once are packed: durable with one file, not with a file each. */
const PACKED_FROM = 100;
/** References that are looked at on disk, and by their names alone, before others have their turn. */
const BATCH_SIZE = 100;
const NAMES_AT_ONCE = 2_000;

/** What a transaction learns of the references that are there; asked under their locks. */
export interface PresentRefs {
  /** What it holds; null for none. @throws GitError `corrupt` */
  resolve(ref: string): Promise<string | null>;
  /** What it is packed with; null where it is not. */
  packed(ref: string): string | null;
  /** Whether a packed reference stands in the way of a new one: one of these names, or one below a prefix. */
  isPackedInTheWay(above: Iterable<string>, prefix: string): boolean;
}

/** What a transaction of references may be given beside the updates. */
export interface TransactionOptions {
  /**
   * Fulfils when the objects are there that references are to point to, where they are still being written: it is waited for when all
   * locks are taken and hold what is to be. The commits among those that were not there before are not looked at again.
   */
  stored?: Promise<ReadonlySet<string>> | undefined;
  /**
   * Fences this writer off: asked when all locks are taken, before the first reference changes. It throws where another process may have
   * taken these locks for orphaned and removed them; then nothing changes, and no lock is removed, which may be another writer's by now.
   */
  fence?: (() => Promise<void>) | undefined;
}

/** A reference whose lock is held. */
interface Held {
  update: RefUpdate;
  lock: LockFile;
  present: string | null;
}

/**
 * Changes the references of one repository, one transaction at a time, by the rules that git's own processes keep among
 * themselves: each reference has a lock file, which becomes the reference; deletions hold the packed references as well.
 */
export class RefTransactions {
  readonly #dir: string;
  readonly #objects: () => ObjectReader;
  readonly #refs: PresentRefs;
  /** Folders that were made and whose names are not durable yet. */
  readonly #made = new Set<string>();
  readonly #queue = new KeyedQueue({ maxWaiting: MAX_WAITING });

  /** @param objects of the same repository */
  constructor(dir: string, objects: () => ObjectReader, refs: PresentRefs) {
    this.#dir = dir;
    this.#objects = objects;
    this.#refs = refs;
  }

  /**
   * Applies all updates or none; durable when it fulfils. A crash may leave some applied, and locks.
   * @throws what `stored` and `fence` throw; GitError `conflict`, `locked`, `invalid`, `corrupt`, `busy`; the file system's error
   */
  async run(updates: readonly RefUpdate[], options: TransactionOptions = {}): Promise<void> {
    checkUpdates(updates);
    if (updates.length === 0) return;
    await this.#queue.run('', async () => {
      if (options.stored === undefined) await checkTargets(this.#objects(), updates);
      await this.#refuseCollisions(updates);
      if (updates.length >= PACKED_FROM) return this.#applyMany(updates, options);
      // The folder of a single reference is made durable with it.
      const alone = updates.length === 1 && updates[0]!.new !== null ? dirname(updates[0]!.ref) : null;
      const isDurable = await this.#apply(updates, alone, options);
      if (isDurable && this.#made.size === 0) return;
      const put = updates.filter((update) => update.new !== null);
      const foldersOf = (some: readonly RefUpdate[]) => new Set(some.map(({ ref }) => dirname(ref)));
      await this.#sync(foldersOf(updates), foldersOf(put));
    });
  }

  /**
   * @param folder of all references, where it is to be durable with the last of them
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
   * The same for many: what they get is packed, and what had a file of its own has none any more. Work with a file for each
   * reference is done apart.
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
        const { ref, new: wanted } = update;
        const file = loose[index]!;
        if (file === 'broken') throw new GitError('corrupt', `${ref} holds no object id`);
        const isFile = file !== null && file !== 'folder';
        const present = await this.#checked(update, isFile ? file.oid : this.#refs.packed(ref), file === 'folder');
        if (present === wanted) continue;
        if (wanted === null) gone.push(ref);
        else set.set(ref, wanted);
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
   * What a locked reference holds, where the update may be made.
   * @param mayBeFolder false where it is known that no folder is in its place
   */
  async #checked(
    { ref, old, new: wanted }: RefUpdate,
    present: string | null,
    mayBeFolder = true,
  ): Promise<string | null> {
    if (old !== undefined && present !== old) {
      throw new GitError('conflict', `cannot lock ref '${ref}': is at ${present} but expected ${old}`);
    }
    if (present !== null || wanted === null) return present;
    if (mayBeFolder) await clearFolder(bytesPath(this.#dir, ref), ref);
    this.#refusePackedInTheWay(ref);
    return null;
  }

  #refusePackedInTheWay(ref: string): void {
    if (this.#refs.isPackedInTheWay(namesAbove(ref), `${ref}/`)) throw inTheWay(ref);
  }

  /** @returns whether its file had to be put in place, in a folder whose names are durable by now */
  async #put({ update, lock, present }: Held, folder: string | null): Promise<boolean> {
    if (update.new === null || update.new === present) return false;
    const path = bytesPath(this.#dir, update.ref);
    try {
      return await lock.commit(folder);
    } catch (error) {
      // Another process has made a folder of this name meanwhile.
      if (!(await isFolder(path))) throw error;
      await clearFolder(path, update.ref);
      this.#refusePackedInTheWay(update.ref);
      return await lock.commit(folder);
    }
  }

  /** @throws GitError where one name is a folder of another's: `conflict` for one that is there, else `invalid` */
  async #refuseCollisions(updates: readonly RefUpdate[]): Promise<void> {
    const names = new Set(updates.map(({ ref }) => ref));
    for (const [index, { ref, new: wanted }] of updates.entries()) {
      if (index % NAMES_AT_ONCE === NAMES_AT_ONCE - 1) await nextTurn();
      for (const name of wanted === null ? [] : namesAbove(ref)) {
        if (!names.has(name)) continue;
        if ((await this.#refs.resolve(name)) !== null) throw inTheWay(ref);
        throw new GitError('invalid', `cannot process '${name}' and '${ref}' at the same time`);
      }
    }
  }

  /**
   * Makes what changed in folders durable, and folders that were made.
   * @param filled those that something was put into
   */
  async #sync(changed: ReadonlySet<string>, filled: ReadonlySet<string>): Promise<void> {
    const made = [...this.#made];
    const folders = new Set([...changed, ...made.map((folder) => dirname(folder))]);
    const present = new Set<string>();
    let packedMeanwhile = false;
    for (const folder of folders) {
      // A deletion also removes folders that it leaves empty.
      let at = folder;
      while (at !== '.' && (await isFolder(bytesPath(this.#dir, at))) !== true) at = dirname(at);
      present.add(at);
      // What was put there has been packed meanwhile.
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

/** After a failure: leaves locks alone that may be another writer's by now. @throws what the fence throws */
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

const inTheWay = (ref: string) => new GitError('conflict', `cannot lock ref '${ref}': another is in its way`);

async function remove(path: string | Buffer): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    // Of a packed one, a folder may have the name.
    if (!isMissing(error) && !(await isFolder(path))) throw error;
  }
}

/**
 * Removes the empty folders in a reference's place.
 * @throws GitError `conflict` where they hold something
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
