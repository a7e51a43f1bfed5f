import { randomBytes } from 'node:crypto';
import type { Repository, RepositoryPool } from './git.repository.ts';

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

/** By which the repository at a location is known (`Repository.id`). */
export const repositoryId = ({ storage, diskPath }: Location): string => `${storage}:${diskPath}`;

/** One of storages of which some take repositories. */
function draw(list: readonly Storage[], random: number): Storage {
  let rest = random * list.reduce((sum, { weight }) => sum + weight, 0);
  for (const storage of list) {
    rest -= storage.weight;
    if (rest < 0) return storage;
  }
  return list.findLast(({ weight }) => weight > 0)!;
}

type Weights = Readonly<Record<string, number>>;

const withWeights = (list: readonly Storage[], weights: Weights): Storage[] =>
  list.map((storage) => ({ ...storage, weight: weights[storage.name] ?? storage.weight }));

/** The storages of the installation. A repository's path does not depend on its name, so renames move nothing. */
export class Storages {
  readonly list: readonly Storage[];
  readonly pool: RepositoryPool;

  constructor(list: readonly Storage[], pool: RepositoryPool) {
    this.list = list;
    this.pool = pool;
  }

  /**
   * The storage a new repository goes to, drawn by weight.
   * @param random a number from 0 to below 1
   * @param weights that go before those of the storages, by their names; all of 0 count for nothing
   */
  pick(random: number, weights: Weights = {}): Storage {
    const weighted = withWeights(this.list, weights);
    return draw(weighted.some(({ weight }) => weight > 0) ? weighted : this.list, random);
  }

  /** Another storage than that one, drawn in the same way; undefined where no other one takes repositories. */
  pickBeside(name: string, random: number, weights: Weights = {}): Storage | undefined {
    const others = withWeights(this.list, weights).filter((storage) => storage.name !== name && storage.weight > 0);
    return others.length === 0 ? undefined : draw(others, random);
  }

  has(name: string): boolean {
    return this.list.some((storage) => storage.name === name);
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
    return this.pool.get(repositoryId(location), this.dirOf(location));
  }

  /** Ends what is held open of a repository that is about to be moved or removed. */
  evict(location: Location): void {
    this.pool.evict(repositoryId(location));
  }
}
