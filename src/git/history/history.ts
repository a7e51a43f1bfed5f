import { BoundedCache, CacheBudget } from '../../core/bounded-cache.ts';
import { SERVER } from '../../core/fair-slots.ts';
import { inScope } from '../../core/request-scope.ts';
import type { GraphLayer } from '../commit-graph/commit-graph.layer.ts';
import { type LoadedGraph, loadGraph, MAX_GRAPH_BYTES } from '../commit-graph/commit-graph.load.ts';
import type { CommitGraph } from '../commit-graph/commit-graph.ts';
import { addToGraph, completePaths, completeStats, stopPreRefWrites } from '../commit-graph/commit-graph.write.ts';
import { nextPartialIndex, partialIndexOf, wakeWaiters } from '../commit-graph/partial-indexes.ts';
import { isMissingPathIndex } from '../commit-graph/write-path-index.ts';
import { isMissingStats } from '../commit-graph/write-stats-index.ts';
import type { DiffStats } from '../line-diff/line-diff.ts';
import type { ObjectReader } from '../object-reader.ts';
import { Commits, MAX_OUTER_COMMITS, TooManyOuterCommits } from './history.commits.ts';
import { resolvesBefore, waitEnd } from './index-wait.ts';
import { packedBytes } from './packed-bytes.ts';
import { TimeSlice } from './time-slice.ts';

/** How long a graph is used without a look whether there is a newer one: an old one is only slower. */
const LOOK_MS = 1_000;
/** How long commits outside the graph are kept that are all which may be. */
const FULL_MS = 60_000;
/** About what the commits outside the graph may take. */
const OUTER_BYTES = 512 * 1024;

/** So long after a change of refs, so that one run serves a burst of them. */
export const GRAPH_PAUSE_MS = 5_000;
/** A repository of more packed bytes takes longer to index than its first readers wait. */
const LARGE_BYTES = 1024 * 1024;
/** More new commits at once are left to the upkeep of the repository. */
const MAX_FRESH = 1_000;

interface Known {
  commits: Commits;
  loaded: LoadedGraph;
  lookedAt: number;
  readAt: number;
}

/** Graphs of all repositories, with room for the largest beside others: every question needs one. */
const GRAPH_BYTES = 1.5 * MAX_GRAPH_BYTES;
const graphs = new BoundedCache<History, Known>(GRAPH_BYTES, ({ loaded }) => OUTER_BYTES + (loaded.graph?.bytes ?? 0), {
  isCostly: true,
  budget: new CacheBudget(GRAPH_BYTES),
});

/** How a question is answered. */
export interface HistoryQuery<T> {
  /** By the commits that this process reads. */
  walk(commits: Commits, timeSlice: TimeSlice): Promise<T>;
  /** By git, for histories that this process leaves to it: `env` is what git needs to know of the commit-graph. */
  git(env: Readonly<Record<string, string>>): Promise<T>;
  /** Instead of another walk, where the graph has grown meanwhile. */
  retry?(): Promise<T>;
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
  #isCounting = false;
  #isWriting = false;
  /** The graph for which all that refs reach was to be written. */
  #wholeFor: CommitGraph | null | undefined;

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
  async query<T>(query: HistoryQuery<T>): Promise<T> {
    for (;;) {
      const { commits, loaded } = this.#recent() ?? (await this.#now());
      if (loaded.state === 'damaged') return await query.git(WITHOUT_GRAPH);
      if (loaded.state === 'unfit') return await query.git({});
      const timeSlice = new TimeSlice();
      try {
        return await query.walk(commits, timeSlice);
      } catch (error) {
        if (!(error instanceof TooManyOuterCommits)) throw error;
      } finally {
        timeSlice.end();
      }
      if (!(await this.#grown(loaded))) return await query.git({});
      if (query.retry !== undefined) return await query.retry();
    }
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
  refsChanged(oids: readonly string[]): void {
    for (const oid of oids) if (this.#fresh.size < MAX_FRESH) this.#fresh.add(oid);
    if (this.#fresh.size === 0 || this.#pauseMs === null) return;
    this.#writeSoon();
    // Of a large repository that is new everything is asked at once.
    if ((graphs.get(this)?.loaded.graph ?? null) === null && packedBytes(this.#dir) > LARGE_BYTES) this.#writeNow();
  }

  /** Whether so much of the graph or its path indexes is being written that questions wait for it. */
  get isIndexing(): boolean {
    const { graph, state } = graphs.get(this)?.loaded ?? { graph: null, state: 'good' };
    if (state !== 'good') return false;
    if (graph === null) return this.#isWriting;
    const isLarge = ({ pathIndex, count }: GraphLayer) => pathIndex === null && count > MAX_OUTER_COMMITS;
    return graph.layers.some((layer) => isLarge(layer) && (this.#isWriting || partialIndexOf(layer) !== undefined));
  }

  /**
   * Waits until there is more of what is being written: the graph, or a part of a path index; sometimes in vain.
   * @param until by `performance.now`: as `waitEnd` gives it
   * @returns false where nothing is being written, or nothing came
   * @throws GitError `aborted` where the caller leaves
   */
  async moreIndexed(until: number): Promise<boolean> {
    const growth = nextPartialIndex(graphs.get(this)?.loaded.graph?.layers ?? [], this.#isWriting ? this.#dir : null);
    if (growth === undefined || !(await resolvesBefore(until, growth))) return false;
    this.#lookSoon();
    return true;
  }

  /** Waits until all path indexes are whole that are being written. @throws GitError `aborted` where the caller leaves */
  async untilIndexed(): Promise<void> {
    for (const until = waitEnd(); this.isIndexing && (await this.moreIndexed(until)); );
  }

  /**
   * Has the graph written for a question that reaches far beyond it.
   * @returns whether it has grown
   */
  async #grown({ graph }: LoadedGraph): Promise<boolean> {
    if (this.#pauseMs === null) return false;
    if (!this.#isWriting) {
      const isWhole = this.#fresh.size === 0;
      // What nobody has announced since the server was started is found by the refs, or by nothing.
      if (isWhole && this.#wholeFor === graph) return false;
      if (isWhole) this.#wholeFor = graph;
      this.#writeNow(isWhole);
    }
    const until = waitEnd();
    while (await this.moreIndexed(until)) if ((await this.#now()).loaded.graph !== graph) return true;
    return (await this.#now()).loaded.graph !== graph;
  }

  /** Lets go of what was read, and leaves what would have been written to the upkeep of the repository. */
  invalidate(): void {
    graphs.delete(this);
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#fresh.clear();
    this.#stop.abort();
    stopPreRefWrites(this.#dir);
    this.#stop = new AbortController();
  }

  #completeSoon(graph: CommitGraph): void {
    const newest = graph.layers.at(-1)!.pathIndexFile;
    if (newest === this.#completed || this.#pauseMs === null) return;
    this.#completed = newest;
    // A large one is waited for.
    if (graph.layers.some(({ pathIndex, count }) => pathIndex === null && count > MAX_OUTER_COMMITS)) this.#writeNow();
    else this.#writeSoon();
  }

  // Whoever asked may leave before it is done.
  #writeSoon(): void {
    this.#timer ??= inScope({ caller: SERVER }, () => setTimeout(() => this.#writeNow(), this.#pauseMs!).unref());
  }

  /** @param isWhole whether all that refs reach is to be in the graph */
  #writeNow(isWhole = false): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.#isWriting) inScope({ caller: SERVER }, () => void this.#write(isWhole));
    else if (this.#fresh.size > 0) this.#writeSoon();
  }

  async #write(isWhole: boolean): Promise<void> {
    const oids = [...this.#fresh];
    this.#fresh.clear();
    this.#isWriting = true;
    const { signal } = this.#stop;
    try {
      const { graph } = (await this.#now()).loaded;
      const missing = oids.filter((oid) => graph === null || graph.find(oid) < 0);
      if (isWhole || missing.length > 0) await addToGraph(this.#dir, isWhole ? 'refs' : { oids: missing }, signal);
      else if (graph !== null && isMissingPathIndex(this.#dir, graph)) await completePaths(this.#dir, signal);
    } catch {
      // The upkeep of the repository tries again, and tells.
    } finally {
      this.#isWriting = false;
      this.#lookSoon();
      wakeWaiters(this.#dir);
    }
    await this.#countLines(signal);
  }

  #lacksAny(graph: CommitGraph): boolean {
    return isMissingPathIndex(this.#dir, graph) || isMissingStats(this.#dir, graph);
  }

  #lookSoon(): void {
    const known = graphs.get(this);
    if (known !== undefined) known.lookedAt = Number.NEGATIVE_INFINITY;
  }

  /** It is much where a graph came without it; what is put on top meanwhile is counted, too. */
  async #countLines(signal: AbortSignal): Promise<void> {
    if (this.#isCounting) return;
    this.#isCounting = true;
    try {
      const { graph } = (await this.#now()).loaded;
      for (
        let isMore = graph !== null && isMissingStats(this.#dir, graph);
        isMore && !signal.aborted;
        this.#lookSoon()
      ) {
        isMore = await completeStats(this.#dir, signal);
      }
    } catch {
      // As above.
    } finally {
      this.#isCounting = false;
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
