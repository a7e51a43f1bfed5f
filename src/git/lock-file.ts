import { closeSync, constants, openSync } from 'node:fs';
import { lstat, mkdir, rmdir, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMissing, isTaken } from './durable.ts';
import { bytesPath } from './git.bytes.ts';
import { GitError } from './git.errors.ts';
import { makeLock, replaceFile } from './writer/writing-thread.ts';

const { O_CREAT, O_EXCL, O_WRONLY } = constants;
/** Folders that a clean-up took away before something was put into them are made again so often. */
const MAX_TRIES = 5;

/** Git's lock of a file: another file beside it, made by whoever holds it and put in its place with the new content. */
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
   * Takes the lock of a file, with the folders that it needs.
   * @param name of the file, relative to `dir`
   * @param waitMs how long another holder is waited for
   * @param made gets the folders that had to be made, relative to `dir`
   * @param content what the file shall hold, durable in the lock when it fulfils; null where that is not asked for
   * @throws GitError `locked` where it is held, `conflict` where a file stands in place of a folder, `corrupt` where `dir`
   *   is not there; the file system's error
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

  /** Lets go of the descriptor, not of the lock. */
  close(): void {
    const file = this.#file;
    this.#file = undefined;
    if (file !== undefined) closeSync(file);
  }

  /**
   * Puts its content in the place of the file, by which the lock is given up.
   * @param folder what holds the file, relative to `dir`, where its names are to be durable then
   * @returns whether they are: whoever packs references removes their files, and folders that this leaves empty, at any time
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

  /** Leaves the lock as a crash does, to whoever removes those: its file may be another holder's by now. */
  abandon(): void {
    this.#isHeld = false;
  }

  /**
   * Gives the lock up, where it is still held: another holder may have a file of this name. One that cannot be removed stays as
   * one of a crash does: what was done under it, and other locks, have nothing to do with that.
   */
  async release(): Promise<void> {
    try {
      this.close();
    } catch {
      // It is closed all the same.
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
      // It may also have gone again.
      if (isMissing(error)) return;
      if (!isTaken(error)) throw error;
      if ((await isFolder(bytesPath(dir, at))) === false) throw new GitError('conflict', `${at} is no folder`);
    }
  }
}

/** Whether a folder is at a path; null where nothing is. */
export async function isFolder(path: string | Buffer): Promise<boolean | null> {
  try {
    return (await lstat(path)).isDirectory();
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Removes the empty folders from this one upwards; `refs/heads` and its like stay. */
export async function removeEmptyFolders(dir: string, folder: string): Promise<void> {
  for (let at = folder; at.split('/').length > 2; at = dirname(at)) {
    try {
      await rmdir(bytesPath(dir, at));
    } catch {
      return;
    }
  }
}
