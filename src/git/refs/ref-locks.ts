import { LockFile, type LooseFile, readLooseRef, removeFiles, takeLocks } from '../files/index.ts';

/** Number of files that the writer thread processes before yielding. */
const BATCH_SIZE = 100;

/** Locks of many references, taken and released outside the main thread. */
export class RefLocks {
  readonly #dir: string;
  readonly #made: Set<string>;
  readonly #taken: string[] = [];
  readonly #files: number[] = [];
  readonly #alone: LockFile[] = [];

  /** @param made receives the created folders, relative to `dir` */
  constructor(dir: string, made: Set<string>) {
    this.#dir = dir;
    this.#made = made;
  }

  /**
   * Takes all locks.
   * @param waitMs maximum wait for another holder of a lock
   * @returns the current state of each reference
   * @throws as `LockFile.take`; locks taken so far must still be released
   */
  async take(refs: readonly string[], waitMs: number): Promise<LooseFile[]> {
    const states: LooseFile[] = [];
    for (let at = 0; at < refs.length; at = states.length) {
      const some = refs.slice(at, at + BATCH_SIZE);
      const { taken, made } = await takeLocks(this.#dir, some);
      for (const folder of made) this.#made.add(folder);
      for (const [index, { file, loose }] of taken.entries()) {
        this.#taken.push(`${some[index]!}.lock`);
        this.#files.push(file);
        states.push(loose);
      }
      const next = some[taken.length];
      if (next !== undefined) states.push(await this.#takeAlone(next, waitMs));
    }
    return states;
  }

  /** Takes a lock that is held or failed in the batch. */
  async #takeAlone(ref: string, waitMs: number): Promise<LooseFile> {
    const lock = await LockFile.take(this.#dir, ref, waitMs, this.#made);
    this.#alone.push(lock);
    lock.close();
    return readLooseRef(this.#dir, ref);
  }

  /** Removes the files of references. @throws the first file system error */
  async remove(refs: readonly string[]): Promise<void> {
    for (let at = 0; at < refs.length; at += BATCH_SIZE) await removeFiles(this.#dir, refs.slice(at, at + BATCH_SIZE));
  }

  /** As `LockFile.abandon`. */
  abandon(): void {
    this.#taken.length = 0;
    this.#files.length = 0;
    for (const lock of this.#alone) lock.abandon();
  }

  /** Releases all locks. A file that cannot be removed stays as in a crash. */
  async release(): Promise<void> {
    for (let at = 0; at < this.#taken.length; at += BATCH_SIZE) {
      const names = this.#taken.slice(at, at + BATCH_SIZE);
      await removeFiles(this.#dir, names, this.#files.slice(at, at + BATCH_SIZE)).catch(() => {});
    }
    for (const lock of this.#alone) await lock.release();
  }
}
