import { LRUCache } from 'lru-cache';
import { ObjectCache } from './object-cache.ts';
import { ObjectReader } from './object-reader.ts';
import { RefStore } from './refs.ts';
import { StatsReader } from './stats-reader.ts';
import { WarmSlots } from './warm-slots.ts';

/** One open repository. Holds no file open; its warm processes belong to the pool. */
export interface Repository {
  /** Unique over all storages and never used again for another repository: caches are keyed by it. */
  readonly id: string;
  /** Its directory on disk. */
  readonly dir: string;
  readonly objects: ObjectReader;
  readonly refs: RefStore;
  readonly stats: StatsReader;
}

export interface RepositoryPoolOptions {
  /** Repositories kept open; default 200. */
  maxRepositories?: number;
  /** Warm git processes over all repositories; default 24. */
  maxProcesses?: number;
  /** Milliseconds without use after which a warm process ends; default 60,000. */
  idleMs?: number;
  /** Estimated bytes of parsed objects kept; default 32 MiB. */
  cacheBytes?: number;
}

/** The open repositories of this process, with what they share: warm processes and parsed objects. */
export class RepositoryPool {
  readonly #slots: WarmSlots;
  readonly #cache: ObjectCache;
  readonly #repositories: LRUCache<string, Repository>;

  constructor(options: RepositoryPoolOptions = {}) {
    this.#slots = new WarmSlots({ max: options.maxProcesses ?? 24, idleMs: options.idleMs ?? 60_000 });
    this.#cache = new ObjectCache(options.cacheBytes ?? 32 * 1024 * 1024);
    this.#repositories = new LRUCache({
      max: options.maxRepositories ?? 200,
      dispose: (repository) => retire(repository),
    });
  }

  /**
   * The repository of this id, opened where it is not yet. Nothing is checked on disk.
   * @param id see `Repository`
   * @param dir its directory; a changed one (after a move) opens it anew
   */
  get(id: string, dir: string): Repository {
    const known = this.#repositories.get(id);
    if (known?.dir === dir) return known;
    const objects = new ObjectReader(id, dir, this.#slots, this.#cache);
    const refs = new RefStore(dir, this.#slots);
    const repository: Repository = { id, dir, objects, refs, stats: new StatsReader(dir, this.#slots) };
    this.#repositories.set(id, repository);
    return repository;
  }

  /** How many warm processes live. */
  get processes(): number {
    return this.#slots.size;
  }

  /** Ends the warm processes of a repository that is about to be moved or removed. */
  forget(id: string): void {
    this.#repositories.delete(id);
  }

  /** Ends all warm processes, once they have answered what they were asked; later reads are refused. */
  async close(): Promise<void> {
    this.#repositories.clear();
    await this.#slots.close();
  }
}

function retire(repository: Repository): void {
  repository.objects.retire();
  repository.refs.retire();
  repository.stats.retire();
}
