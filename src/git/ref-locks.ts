import { LockFile } from './lock-file.ts';
import { type LooseFile, readLooseRef } from './loose-ref-file.ts';
import { removeFiles, takeLocks } from './writer/writing-thread.ts';

/** Files that the writing thread works on before others have their turn. */
const BATCH_SIZE = 100;

/** The locks of many references of a repository: taken and given up apart from the thread of the requests. */
export class RefLocks {
  readonly #dir: string;
  readonly #made: Set<string>;
  readonly #taken: string[] = [];
  readonly #files: number[] = [];
  readonly #alone: LockFile[] = [];

  /** @param made gets the folders that had to be made, relative to `dir` */
  constructor(dir: string, made: Set<string>) {
    this.#dir = dir;
    this.#made = made;
  }

  /**
   * Takes them all.
   * @param waitMs how long another holder of one is waited for
   * @returns what stands in the place of each reference
   * @throws as `LockFile.take`; what was taken is to be released all the same
   */
  async take(refs: readonly string[], waitMs: number): Promise<LooseFile[]> {
    const found: LooseFile[] = [];
    for (let at = 0; at < refs.length; at = found.length) {
      const some = refs.slice(at, at + BATCH_SIZE);
      const { taken, made } = await takeLocks(this.#dir, some);
      for (const folder of made) this.#made.add(folder);
      for (const [index, { file, loose }] of taken.entries()) {
        this.#taken.push(`${some[index]!}.lock`);
        this.#files.push(file);
        found.push(loose);
      }
      const next = some[taken.length];
      if (next !== undefined) found.push(await this.#takeAlone(next, waitMs));
    }
    return found;
  }

  /** One that somebody holds, or that cannot be taken. */
  async #takeAlone(ref: string, waitMs: number): Promise<LooseFile> {
    const lock = await LockFile.take(this.#dir, ref, waitMs, this.#made);
    this.#alone.push(lock);
    lock.close();
    return readLooseRef(this.#dir, ref);
  }

  /** Removes the files of references. @throws the first error of the file system */
  async remove(refs: readonly string[]): Promise<void> {
    for (let at = 0; at < refs.length; at += BATCH_SIZE) await removeFiles(this.#dir, refs.slice(at, at + BATCH_SIZE));
  }

  /** As `LockFile.abandon`. */
  abandon(): void {
    this.#taken.length = 0;
    this.#files.length = 0;
    for (const lock of this.#alone) lock.abandon();
  }

  /** Gives all of them up. A file that cannot be removed stays as one of a crash does. */
  async release(): Promise<void> {
    for (let at = 0; at < this.#taken.length; at += BATCH_SIZE) {
      const names = this.#taken.slice(at, at + BATCH_SIZE);
      await removeFiles(this.#dir, names, this.#files.slice(at, at + BATCH_SIZE)).catch(() => {});
    }
    for (const lock of this.#alone) await lock.release();
  }
}
