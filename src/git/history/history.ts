import { SERVER } from '../../core/fair-slots.ts';
import { Kept } from '../../core/kept.ts';
import { inScope } from '../../core/request-scope.ts';
import type { CommitGraph } from '../commit-graph/commit-graph.ts';
import { type LoadedGraph, loadGraph, MAX_GRAPH_BYTES } from '../commit-graph/load.ts';
import { addToGraph, completeGraph } from '../commit-graph/write.ts';
import { lacksPathIndex } from '../commit-graph/write-path-index.ts';
import { lacksStats } from '../commit-graph/write-stats-index.ts';
import type { DiffStats } from '../line-diff/line-diff.ts';
import type { ObjectReader } from '../object-reader.ts';
import { BeyondReader, Commits } from './commits.ts';
import { Pace } from './pace.ts';

/** How long a graph is used without a look whether there is a newer one: an old one is only slower. */
const LOOK_MS = 1_000;
/** How long commits outside the graph are kept that are all which may be. */
const FULL_MS = 60_000;
/** About what the commits outside the graph may take. */
const OUTER_BYTES = 512 * 1024;

/** So long after a change of refs, so that one run serves a burst of them. */
export const GRAPH_PAUSE_MS = 5_000;
/** More new commits at once are left to the upkeep of the repository. */
const MAX_FRESH = 1_000;

interface Known {
  commits: Commits;
  loaded: LoadedGraph;
  lookedAt: number;
  readAt: number;
}

/** Graphs of all repositories; their share is large, since every question needs one. */
const graphs = new Kept<History, Known>(4 * MAX_GRAPH_BYTES, ({ loaded }) => OUTER_BYTES + (loaded.graph?.bytes ?? 0), {
  isDear: true,
});

/** How a question is answered. */
export interface Ways<T> {
  /** By the commits that this process reads. */
  walk(commits: Commits, pace: Pace): Promise<T>;
  /** By git, for histories that this process leaves to it: `env` is what git needs to know of the commit-graph. */
  git(env: Readonly<Record<string, string>>): Promise<T>;
}

const WITHOUT_GRAPH = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'core.commitGraph', GIT_CONFIG_VALUE_0: 'false' };

/** The commits of one repository, out of its commit-graph where that has them. */
export class History {
  readonly #dir: string;
  readonly #objects: ObjectReader;
  readonly #pauseMs: number | null;
  #looking: Promise<Known> | undefined;
  #fresh = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  /** The newest layer of the graph whose indexes were to be made: if that failed, it is left to the upkeep. */
  #completed: string | undefined;
  /** Ends what is being made. */
  #stop = new AbortController();
  #isCompleting = false;

  /** @param pauseMs milliseconds after which the graph is written; null never does */
  constructor(dir: string, objects: ObjectReader, pauseMs: number | null = GRAPH_PAUSE_MS) {
    this.#dir = dir;
    this.#objects = objects;
    this.#pauseMs = pauseMs;
  }

  /**
   * Answers a question: in this process, else by git where there is too much outside the graph, the graph is too large or
   * damaged, or the history is cut off.
   * @throws what the way throws
   */
  async answer<T>(ways: Ways<T>): Promise<T> {
    const { commits, loaded } = this.#recent() ?? (await this.#now());
    const pace = new Pace();
    try {
      if (loaded.state === 'good') return await ways.walk(commits, pace);
    } catch (error) {
      if (!(error instanceof BeyondReader)) throw error;
    } finally {
      pace.end();
    }
    return await ways.git(loaded.state === 'damaged' ? WITHOUT_GRAPH : {});
  }

  /** The commit-graph, where this process reads it; an old one is as good for the commits that it has. */
  async graph(): Promise<CommitGraph | null> {
    const { loaded } = this.#recent() ?? (await this.#now());
    return loaded.state === 'good' ? loaded.graph : null;
  }

  /** Whether the commit-graph has a commit. @throws what the file system throws for files that may not be read */
  async has(oid: string): Promise<boolean> {
    return ((await this.graph())?.find(oid) ?? -1) >= 0;
  }

  /**
   * How many lines commits add and delete against their first parents, of those for which that is known beside the graph.
   * @param oids complete ids
   * @throws what the file system throws for files that may not be read
   */
  async stats(oids: readonly string[]): Promise<Map<string, DiffStats>> {
    const found = new Map<string, DiffStats>();
    const graph = await this.graph();
    if (graph === null) return found;
    for (const oid of oids) {
      const position = graph.find(oid);
      const stats = position < 0 ? null : graph.stats(position);
      if (stats !== null) found.set(oid, stats);
    }
    return found;
  }

  /** Says that refs point to these commits now: soon the commit-graph has them, too. */
  changed(oids: readonly string[]): void {
    for (const oid of oids) if (this.#fresh.size < MAX_FRESH) this.#fresh.add(oid);
    if (this.#fresh.size > 0) this.#writeSoon();
  }

  #writeSoon(): void {
    if (this.#pauseMs === null) return;
    // Whoever asked may leave before it is done.
    this.#timer ??= inScope({ caller: SERVER }, () => setTimeout(() => this.#write(), this.#pauseMs!).unref());
  }

  /** Lets go of what was read, and leaves what would have been written to the upkeep of the repository. */
  forget(): void {
    graphs.delete(this);
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#fresh.clear();
    this.#stop.abort();
    this.#stop = new AbortController();
  }

  #completeSoon(graph: CommitGraph): void {
    const newest = graph.layers.at(-1)!.pathIndexFile;
    if (newest === this.#completed) return;
    this.#completed = newest;
    this.#writeSoon();
  }

  async #write(): Promise<void> {
    const oids = [...this.#fresh];
    this.#fresh.clear();
    this.#timer = undefined;
    try {
      const { graph } = (await this.#now()).loaded;
      const missing = oids.filter((oid) => graph === null || graph.find(oid) < 0);
      const { signal } = this.#stop;
      let isMore = graph !== null && this.#lacksAny(graph);
      if (missing.length > 0) {
        isMore = await addToGraph(this.#dir, missing, signal);
        this.#lookSoon();
      }
      if (isMore) await this.#complete(signal);
    } catch {
      // The upkeep of the repository tries again, and tells.
    }
  }

  #lacksAny(graph: CommitGraph): boolean {
    return lacksPathIndex(this.#dir, graph) || lacksStats(this.#dir, graph);
  }

  #lookSoon(): void {
    const known = graphs.get(this);
    if (known !== undefined) known.lookedAt = Number.NEGATIVE_INFINITY;
  }

  /** What it makes is much where a graph came without it; what is put on top meanwhile it makes, too. */
  async #complete(signal: AbortSignal): Promise<void> {
    if (this.#isCompleting) return;
    this.#isCompleting = true;
    try {
      for (let isMore = true; isMore && !signal.aborted; this.#lookSoon()) {
        isMore = await completeGraph(this.#dir, signal);
      }
    } finally {
      this.#isCompleting = false;
    }
  }

  /** What was looked at just now. */
  #recent(): Known | undefined {
    const known = graphs.get(this);
    return known !== undefined && performance.now() - known.lookedAt < LOOK_MS ? known : undefined;
  }

  async #now(): Promise<Known> {
    const known = this.#recent();
    if (known !== undefined) return known;
    this.#looking ??= this.#look(graphs.get(this)).finally(() => {
      this.#looking = undefined;
    });
    return await this.#looking;
  }

  async #look(known: Known | undefined): Promise<Known> {
    const lookedAt = performance.now();
    if (known?.loaded.isCurrent()) {
      known.lookedAt = lookedAt;
      // What it has read outside the graph may be of no use any more, such as branches that are gone.
      if (known.commits.isFull && lookedAt - known.readAt > FULL_MS) {
        known.commits = new Commits(known.loaded.graph, this.#objects);
        known.readAt = lookedAt;
      }
      return known;
    }
    const loaded = await loadGraph(this.#dir);
    const next = { commits: new Commits(loaded.graph, this.#objects), loaded, lookedAt, readAt: lookedAt };
    if (loaded.graph !== null && this.#lacksAny(loaded.graph)) this.#completeSoon(loaded.graph);
    graphs.set(this, next);
    return next;
  }
}
