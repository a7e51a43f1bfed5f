import { join } from 'node:path';
import { GitError } from '../common/index.ts';
import { isMissing } from '../files/index.ts';
import { isRepository } from './damage.ts';
import { objectFormatOf } from './object-format.ts';
import { ObjectStore } from './packs/object-store.ts';
import type { PackResources } from './packs/raw-object.ts';

/** The objects of a repository, opened on demand. */
export class ObjectFolder {
  readonly #dir: string;
  readonly #shared: PackResources;
  #opening: Promise<ObjectStore> | undefined;
  #ready: ObjectStore | undefined;

  /** @param dir of the repository */
  constructor(dir: string, shared: PackResources) {
    this.#dir = dir;
    this.#shared = shared;
  }

  /**
   * Returns the object store; synchronously if it is already open.
   * @throws GitError `corrupt` if there is no repository
   */
  open(): ObjectStore | Promise<ObjectStore> {
    this.#shared.files.refuseClosed();
    if (this.#ready !== undefined) return this.#ready;
    if (this.#opening !== undefined) return this.#opening;
    const opening = openStore(this.#dir, this.#shared);
    this.#opening = opening;
    opening.then(
      (store) => {
        if (this.#opening === opening) this.#ready = store;
      },
      () => {
        if (this.#opening === opening) this.#opening = undefined;
      },
    );
    return opening;
  }

  /** Closes the files; the next read opens them again. */
  close(): void {
    this.#opening?.then(
      (store) => store.close(),
      () => {},
    );
    this.#opening = undefined;
    this.#ready = undefined;
  }
}

async function openStore(dir: string, shared: PackResources): Promise<ObjectStore> {
  if (!isRepository(dir)) throw new GitError('corrupt', `${dir} is not a git repository`);
  const format = await objectFormatOf(dir).catch((error: unknown) => {
    if (isMissing(error)) return 'sha1';
    throw error;
  });
  return new ObjectStore(join(dir, 'objects'), shared, format === 'sha1' ? 20 : 32);
}
