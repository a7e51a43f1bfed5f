import { availableParallelism } from 'node:os';
import { EntryCache } from '../../core/cache/index.ts';
import { releaseWhenIdle } from '../../core/idle-memory.ts';
import { History } from '../commit-graph/index.ts';
import { createPackResources, ObjectCache, ObjectReader, type PackResources } from '../objects/index.ts';
import { DIFF_WORKER, DiffWorkers, STATS_WORKER, WorkerLimiter } from '../process/index.ts';
import { RefStore } from '../refs/index.ts';
import { Readers } from './readers/readers.ts';

/** An open repository. It holds no open files; its processes belong to the pool. */
export interface Repository {
  /** Unique over all storages and never reused. */
  readonly id: string;
  /** Key of caches of this process: the id, and which pool it is of. Servers on copies of the same data have pools of their own. */
  readonly key: string;
  /** Directory on disk. */
  readonly dir: string;
  readonly objects: ObjectReader;
  readonly refs: RefStore;
  readonly history: History;
  /** Processes for patches between two commits or trees. */
  readonly diffs: DiffWorkers;
  /** Processes for line counts of commits. */
  readonly stats: DiffWorkers;
  /** Reader threads. */
  readonly readers: Readers;
}

export interface RepositoryPoolOptions {
  /** Maximum number of open repositories; default 200. */
  maxRepositories?: number;
  /** Maximum number of long-lived git processes over all repositories; default 24. */
  maxProcesses?: number;
  /** Idle time in milliseconds after which a process ends and a pack is closed; default 60,000. */
  idleMs?: number;
  /**
   * Delay in milliseconds between a ref change and the update of the commit-graph; default 5,000; null disables
   * updates.
   */
  graphPauseMs?: number | null;
  /** Estimated size in bytes of cached parsed objects; default 32 MiB. */
  cacheBytes?: number;
  /** Size in bytes of cached blocks of packs and indexes; default 4 MiB. */
  blockBytes?: number;
  /** Size in bytes of cached delta bases; default 4 MiB. */
  baseBytes?: number;
  /** Maximum size in bytes of a content that is inflated in this thread; default 256 KiB. */
  inlineInflateBytes?: number;
  /** Maximum number of open packs and indexes; default 128. */
  maxOpenFiles?: number;
}

const IDLE_MS = 60_000;
/** Number of concurrent processes of one kind: one processor is left for their callers. */
const BESIDE = Math.max(2, Math.min(3, availableParallelism() - 1));

let pools = 0;

/** The open repositories of a server with their shared resources: processes and parsed objects. */
export class RepositoryPool {
  readonly #number = ++pools;
  readonly #slots: WorkerLimiter;
  readonly #cache: ObjectCache;
  readonly #packs: PackResources;
  readonly #graphPauseMs: number | null | undefined;
  /** Reader threads for the repositories; none until allowed. */
  readonly readers: Readers = new Readers();
  readonly #repositories: EntryCache<string, Repository>;
  readonly #unregister = releaseWhenIdle(() => this.#release());

  constructor(options: RepositoryPoolOptions = {}) {
    this.#slots = new WorkerLimiter({ max: options.maxProcesses ?? 24, idleMs: options.idleMs ?? IDLE_MS });
    this.#cache = new ObjectCache(options.cacheBytes);
    this.#packs = createPackResources({
      blockBytes: options.blockBytes ?? 4 * 1024 * 1024,
      baseBytes: options.baseBytes ?? 4 * 1024 * 1024,
      maxOpen: options.maxOpenFiles ?? 128,
      idleMs: options.idleMs ?? IDLE_MS,
      ...(options.inlineInflateBytes === undefined ? {} : { inlineInflateBytes: options.inlineInflateBytes }),
    });
    this.#graphPauseMs = options.graphPauseMs;
    this.#repositories = new EntryCache('git_repositories', {
      ...(options.maxRepositories === undefined ? {} : { entries: options.maxRepositories }),
      onRemove: retire,
    });
  }

  /**
   * Returns the repository with this id and opens it if necessary, without checks on disk.
   * @param id see `Repository`
   * @param dir its directory; a different one (after a move) reopens it
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
    const key = `${this.#number}:${id}`;
    const repository: Repository = { id, key, dir, objects, refs, history, diffs, stats, readers };
    this.#repositories.set(id, repository);
    return repository;
  }

  /** Number of open packs and indexes. */
  get openFiles(): number {
    return this.#packs.files.size;
  }

  /** Number of running long-lived processes. */
  get processes(): number {
    return this.#slots.size;
  }

  /** Ends the processes of a repository that is about to be moved or removed. */
  evict(id: string): void {
    this.#repositories.delete(id);
    this.readers.evict(id);
  }

  /**
   * Closes all repositories with what is in memory of them, as their files are about to be replaced. They are opened
   * again when they are asked for.
   */
  forget(): void {
    this.#repositories.clear();
    this.readers.endAll();
    this.#packs.files.release();
    this.#packs.bases.release();
  }

  #release(): void {
    this.readers.endIdle();
    this.#packs.files.release();
    this.#packs.bases.release();
  }

  /** Ends all processes after their current question; later reads are refused. */
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
