import { closeSync, constants, openSync } from 'node:fs';
import { lstat, mkdir, rmdir, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bytesPath, GitError } from '../common/index.ts';
import { isMissing, isTaken } from './durable.ts';
import { makeLock, replaceFile } from './writer/writing-thread.ts';

const { O_CREAT, O_EXCL, O_WRONLY } = constants;
/** Maximum number of attempts to create folders that a concurrent clean-up removes. */
const MAX_TRIES = 5;

/** Git's lock of a file: a file beside it, created by the holder and renamed into place with the new content. */
export class LockFile {
  readonly #dir: string;
  readonly #name: string;
  #file: number | undefined;
  #isHeld = true;

  private constructor(dir: string, name: string, file: number | undefined) {
    this.#dir = dir;
    this.#name = name;
    this.#file = file;
  }

  /**
   * Takes the lock of a file and creates missing folders.
   * @param name of the file, relative to `dir`
   * @param waitMs maximum wait for another holder
   * @param made receives the created folders, relative to `dir`
   * @param content new content of the file, durable in the lock when it fulfils; null for none
   * @throws GitError `locked` if it is held, `conflict` if a file is in the place of a folder, `corrupt` if `dir`
   *   does not exist; the file system's error
   */
  static async take(
    dir: string,
    name: string,
    waitMs: number,
    made: Set<string>,
    content: string | null = null,
  ): Promise<LockFile> {
    const until = performance.now() + waitMs;
    const path = bytesPath(dir, `${name}.lock`);
    for (let tries = 1; ; ) {
      try {
        if (content === null) return new LockFile(dir, name, openSync(path, O_CREAT | O_EXCL | O_WRONLY, 0o644));
        await makeLock(path, content);
        return new LockFile(dir, name, undefined);
      } catch (error) {
        if (isTaken(error)) {
          if (performance.now() >= until) throw new GitError('locked', `${name}.lock exists`);
          await sleep(1 + Math.random() * 10);
        } else if (isMissing(error) && tries < MAX_TRIES) {
          tries += 1;
          await makeFolders(dir, dirname(name), made);
        } else {
          throw error;
        }
      }
    }
  }

  /** Closes the descriptor but keeps the lock. */
  close(): void {
    const file = this.#file;
    this.#file = undefined;
    if (file !== undefined) closeSync(file);
  }

  /**
   * Renames the new content into place, which releases the lock.
   * @param folder of the file, relative to `dir`, if its names must be durable
   * @returns whether they are: concurrent packing removes files and empty folders at any time
   */
  async commit(folder: string | null): Promise<boolean> {
    const to = bytesPath(this.#dir, this.#name);
    const names = folder === null ? null : bytesPath(this.#dir, folder);
    const unsafe = await replaceFile({ from: this.#path, to, folder: names });
    this.#isHeld = false;
    if (unsafe !== null && !isMissing(unsafe)) throw unsafe;
    return folder !== null && unsafe === null;
  }

  get #path(): string | Buffer {
    return bytesPath(this.#dir, `${this.#name}.lock`);
  }

  /** Abandons the lock, as in a crash, since its file may belong to another holder by now. */
  abandon(): void {
    this.#isHeld = false;
  }

  /**
   * Releases the lock if it is still held, since another holder may have a file of this name. A failed removal leaves
   * it as in a crash: neither the completed work nor other locks depend on it.
   */
  async release(): Promise<void> {
    try {
      this.close();
    } catch {
      // The descriptor is closed nevertheless.
    }
    if (!this.#isHeld) return;
    this.#isHeld = false;
    await unlink(this.#path).catch(() => {});
  }
}

async function makeFolders(dir: string, folder: string, made: Set<string>): Promise<void> {
  if (!(await isFolder(dir))) throw new GitError('corrupt', `${dir} is not a git repository`);
  const parts = folder === '.' ? [] : folder.split('/');
  for (let length = 1; length <= parts.length; length += 1) {
    const at = parts.slice(0, length).join('/');
    try {
      await mkdir(bytesPath(dir, at));
      made.add(at);
    } catch (error) {
      // It may also have been removed again.
      if (isMissing(error)) return;
      if (!isTaken(error)) throw error;
      if ((await isFolder(bytesPath(dir, at))) === false) throw new GitError('conflict', `${at} is not a directory`);
    }
  }
}

/** Whether a path is a folder; null if it does not exist. */
export async function isFolder(path: string | Buffer): Promise<boolean | null> {
  try {
    return (await lstat(path)).isDirectory();
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Removes empty folders from this one upwards, except `refs/heads` and the like. */
export async function removeEmptyFolders(dir: string, folder: string): Promise<void> {
  for (let at = folder; at.split('/').length > 2; at = dirname(at)) {
    try {
      await rmdir(bytesPath(dir, at));
    } catch {
      return;
    }
  }
}
