import { availableParallelism } from 'node:os';
import { LRUCache } from 'lru-cache';
import { releaseWhenIdle } from '../core/idle-memory.ts';
import { DIFF_WORKER, STATS_WORKER } from './diff-commands.ts';
import { DiffWorkers } from './diff-workers.ts';
import { History } from './history/history.ts';
import { ObjectCache } from './object-cache.ts';
import { ObjectReader } from './object-reader.ts';
import { createPackResources } from './packs/pack-resources.ts';
import type { PackResources } from './packs/raw-object.ts';
import { Readers } from './readers/readers.ts';
import { RefStore } from './refs.ts';
import { WorkerLimiter } from './worker-limiter.ts';

/** One open repository. Holds no file open; its warm processes belong to the pool. */
export interface Repository {
  /** Unique over all storages and never used again for another repository: caches are keyed by it. */
  readonly id: string;
  /** Its directory on disk. */
  readonly dir: string;
  readonly objects: ObjectReader;
  readonly refs: RefStore;
  readonly history: History;
  /** Patches of what differs between two commits or trees. */
  readonly diffs: DiffWorkers;
  /** Counted lines of commits. */
  readonly stats: DiffWorkers;
  /** The threads that can be asked about it. */
  readonly readers: Readers;
}

export interface RepositoryPoolOptions {
  /** Repositories kept open; default 200. */
  maxRepositories?: number;
  /** Warm git processes over all repositories; default 24. */
  maxProcesses?: number;
  /** Milliseconds without use after which a warm process ends, and a pack is closed; default 60,000. */
  idleMs?: number;
  /** Milliseconds between a change of refs and the writing of the commit-graph; default 5,000; null never writes it. */
  graphPauseMs?: number | null;
  /** Estimated bytes of parsed objects kept; default 32 MiB. */
  cacheBytes?: number;
  /** Bytes of the cache of packs and their indexes, as they are on disk; default 4 MiB. */
  blockBytes?: number;
  /** Bytes of the cache of delta bases; default 4 MiB. */
  baseBytes?: number;
  /** Bytes of a content that is inflated here and not in another thread; default 256 KiB. */
  inflatesAtOnce?: number;
  /** Packs and indexes that are open at once; default 128. */
  maxOpenFiles?: number;
}

const IDLE_MS = 60_000;
/** Processes of one kind that answer beside each other: one processor is left to whoever asks them. */
const BESIDE = Math.max(2, Math.min(3, availableParallelism() - 1));

/** The open repositories of this process, with what they share: warm processes and parsed objects. */
export class RepositoryPool {
  readonly #slots: WorkerLimiter;
  readonly #cache: ObjectCache;
  readonly #packs: PackResources;
  readonly #graphPauseMs: number | null | undefined;
  /** What may answer questions about the repositories; none until threads are allowed. */
  readonly readers: Readers = new Readers();
  readonly #repositories: LRUCache<string, Repository>;
  readonly #unregister = releaseWhenIdle(() => this.#release());

  constructor(options: RepositoryPoolOptions = {}) {
    this.#slots = new WorkerLimiter({ max: options.maxProcesses ?? 24, idleMs: options.idleMs ?? IDLE_MS });
    this.#cache = new ObjectCache(options.cacheBytes ?? 32 * 1024 * 1024);
    this.#packs = createPackResources({
      blockBytes: options.blockBytes ?? 4 * 1024 * 1024,
      baseBytes: options.baseBytes ?? 4 * 1024 * 1024,
      maxOpen: options.maxOpenFiles ?? 128,
      idleMs: options.idleMs ?? IDLE_MS,
      ...(options.inflatesAtOnce === undefined ? {} : { atOnce: options.inflatesAtOnce }),
    });
    this.#graphPauseMs = options.graphPauseMs;
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
    const refs: RefStore = new RefStore(dir, () => objects);
    const objects: ObjectReader = new ObjectReader(id, dir, this.#packs, this.#cache, (ref) => refs.resolve(ref));
    const history = new History(dir, objects, this.#graphPauseMs);
    const diffs = new DiffWorkers(dir, this.#slots, DIFF_WORKER, BESIDE);
    const stats = new DiffWorkers(dir, this.#slots, STATS_WORKER, BESIDE);
    const { readers } = this;
    const repository: Repository = { id, dir, objects, refs, history, diffs, stats, readers };
    this.#repositories.set(id, repository);
    return repository;
  }

  /** How many packs and indexes are open. */
  get openFiles(): number {
    return this.#packs.files.size;
  }

  /** How many warm processes live. */
  get processes(): number {
    return this.#slots.size;
  }

  /** Ends the warm processes of a repository that is about to be moved or removed. */
  evict(id: string): void {
    this.#repositories.delete(id);
    this.readers.evict(id);
  }

  #release(): void {
    this.readers.endIdle();
    this.#packs.files.release();
    this.#packs.bases.release();
  }

  /** Ends all warm processes, once they have answered what they were asked; later reads are refused. */
  async close(): Promise<void> {
    this.#unregister();
    this.#repositories.clear();
    this.readers.close();
    this.#packs.files.close();
    await this.#slots.close();
  }
}

function retire(repository: Repository): void {
  repository.objects.retire();
  repository.history.invalidate();
  repository.diffs.retire();
  repository.stats.retire();
}
