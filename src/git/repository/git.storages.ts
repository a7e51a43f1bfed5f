import { randomBytes } from 'node:crypto';
import type { Repository, RepositoryPool } from './git.repository.ts';

export interface Storage {
  name: string;
  path: string;
  /** Share of new repositories; 0 for none. */
  weight: number;
}

/** Location of a repository: name of the storage, and path in it without `.git`. */
export interface Location {
  storage: string;
  diskPath: string;
}

/** Id of the repository at a location (`Repository.id`). */
export const repositoryId = ({ storage, diskPath }: Location): string => `${storage}:${diskPath}`;

/** Draws a storage by weight. */
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
   * Draws the storage for a new repository by weight.
   * @param random a number in [0, 1)
   * @param weights override those of the storages, by name; ignored if all are 0
   */
  pick(random: number, weights: Weights = {}): Storage {
    const weighted = withWeights(this.list, weights);
    return draw(weighted.some(({ weight }) => weight > 0) ? weighted : this.list, random);
  }

  /** Draws a different storage in the same way; undefined if no other one accepts repositories. */
  pickBeside(name: string, random: number, weights: Weights = {}): Storage | undefined {
    const others = withWeights(this.list, weights).filter((storage) => storage.name !== name && storage.weight > 0);
    return others.length === 0 ? undefined : draw(others, random);
  }

  has(name: string): boolean {
    return this.list.some((storage) => storage.name === name);
  }

  /** Generates a unique path in a storage. It contains no name, so that a rename moves nothing. */
  newDiskPath(): string {
    const digest = randomBytes(32).toString('hex');
    return `@hashed/${digest.slice(0, 2)}/${digest.slice(2, 4)}/${digest}`;
  }

  /** Directory of a repository. @throws Error for a storage that is not configured */
  dirOf({ storage, diskPath }: Location): string {
    const configured = this.list.find(({ name }) => name === storage);
    if (configured === undefined) throw new Error(`storage ${storage} is not configured`);
    return `${configured.path}/${diskPath}.git`;
  }

  /** Opens the repository at a location. */
  open(location: Location): Repository {
    return this.pool.get(repositoryId(location), this.dirOf(location));
  }

  /** Releases the resources of a repository that is about to be moved or removed. */
  evict(location: Location): void {
    this.pool.evict(repositoryId(location));
  }
}
