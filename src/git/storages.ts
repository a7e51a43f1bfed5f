import { randomBytes } from 'node:crypto';
import type { Repository, RepositoryPool } from './repository.ts';

export interface Storage {
  name: string;
  path: string;
  /** Share of new repositories; 0 takes none. */
  weight: number;
}

/** Where a repository lies: the storage's name and the path inside it, without `.git`. */
export interface Location {
  storage: string;
  diskPath: string;
}

/** The storages of the installation. A repository's path does not depend on its name, so renames move nothing. */
export class Storages {
  readonly list: readonly Storage[];
  readonly pool: RepositoryPool;

  constructor(list: readonly Storage[], pool: RepositoryPool) {
    this.list = list;
    this.pool = pool;
  }

  /** The storage a new repository goes to, drawn by weight. @param random a number from 0 to below 1 */
  pick(random: number): Storage {
    const total = this.list.reduce((sum, { weight }) => sum + weight, 0);
    let rest = random * total;
    for (const storage of this.list) {
      rest -= storage.weight;
      if (rest < 0) return storage;
    }
    return this.list.findLast(({ weight }) => weight > 0)!;
  }

  /** A fresh path inside a storage: no name in it, so that a rename moves nothing, and never used twice. */
  newDiskPath(): string {
    const digest = randomBytes(32).toString('hex');
    return `@hashed/${digest.slice(0, 2)}/${digest.slice(2, 4)}/${digest}`;
  }

  /** The directory of a repository. @throws Error for a storage that is not configured */
  dirOf({ storage, diskPath }: Location): string {
    const found = this.list.find(({ name }) => name === storage);
    if (found === undefined) throw new Error(`storage ${storage} is not configured`);
    return `${found.path}/${diskPath}.git`;
  }

  /** The open repository of a location. */
  open(location: Location): Repository {
    return this.pool.get(`${location.storage}:${location.diskPath}`, this.dirOf(location));
  }

  /** Ends what is held open of a repository that is about to be moved or removed. */
  forget(location: Location): void {
    this.pool.forget(`${location.storage}:${location.diskPath}`);
  }
}
