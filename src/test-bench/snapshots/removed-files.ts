import { readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * What a restore takes away: it is moved into a folder, which is quick, and removed from the disk later, beside other
 * work.
 */
export class RemovedFiles {
  readonly #folder: string;
  #count = 0;

  /** @param folder an empty one, of this alone */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Takes a file or folder away. @throws the file system's error */
  readonly remove = (path: string): void => {
    try {
      renameSync(path, join(this.#folder, String(this.#count)));
      this.#count += 1;
    } catch (error) {
      // Storages may be on other file systems.
      if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
      rmSync(path, { recursive: true });
    }
  };

  /** Removes everything from the disk, and the folder. What fails stays until the next start. */
  async empty(): Promise<void> {
    try {
      for (const name of readdirSync(this.#folder)) {
        await nextTurn();
        rmSync(join(this.#folder, name), { recursive: true, force: true });
      }
      rmSync(this.#folder, { recursive: true, force: true });
    } catch {}
  }
}
