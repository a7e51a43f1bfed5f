import { BoundedCache, CacheBudget } from '../../core/cache/index.ts';
import { SERVER } from '../../core/fair-slots.ts';
import { inScope } from '../../core/request-scope.ts';
import type { DiffStats } from '../line-diff/index.ts';
import type { ObjectReader } from '../objects/index.ts';
import type { GraphLayer } from './commit-graph.layer.ts';
import { type LoadedGraph, loadGraph, MAX_GRAPH_BYTES } from './commit-graph.load.ts';
import type { CommitGraph } from './commit-graph.ts';
import { addToGraph, completePaths, completeStats, stopPreRefWrites } from './commit-graph.write.ts';
import { areGraphsLeft } from './graphs-left.ts';
import { Commits, MAX_OUTER_COMMITS, TooManyOuterCommits } from './history.commits.ts';
import { resolvesBefore, waitEnd } from './index-wait.ts';
import { packedBytes } from './packed-bytes.ts';
import { nextPartialIndex, partialIndexOf, wakeWaiters } from './partial-indexes.ts';
import { TimeSlice } from './time-slice.ts';
import { isMissingPathIndex } from './write-path-index.ts';
import { isMissingStats } from './write-stats-index.ts';

/** Time in milliseconds between checks for a newer graph. An old graph is only slower. */
const LOOK_MS = 1_000;
/** Time in milliseconds for which a full set of commits outside the graph is kept. */
const FULL_MS = 60_000;
/** Approximate memory for commits outside the graph. */
const OUTER_BYTES = 512 * 1024;

/** Delay after a ref change, so that one run covers a burst of changes. */
export const GRAPH_PAUSE_MS = 5_000;
/** Indexing a repository with more packed bytes takes longer than its first readers wait. */
const LARGE_BYTES = 1024 * 1024;
/** More new commits than this are left to the housekeeping of the repository. */
const MAX_FRESH = 1_000;

interface Known {
  commits: Commits;
  loaded: LoadedGraph;
  lookedAt: number;
  readAt: number;
}

/** Graphs of all repositories, with room for the largest one beside others, since every query needs one. */
const GRAPH_BYTES = 1.5 * MAX_GRAPH_BYTES;
const graphs = new BoundedCache<History, Known>(
  'git_commit_graphs',
  ({ loaded }) => OUTER_BYTES + (loaded.graph?.bytes ?? 0),
  {
    bytes: GRAPH_BYTES,
    budget: new CacheBudget(GRAPH_BYTES),
  },
);

/** The ways to answer a query. */
export interface HistoryQuery<T> {
  /** Answers with the commits that this process reads. */
  walk(commits: Commits, timeSlice: TimeSlice): Promise<T>;
  /** Answers with git, for histories that this process does not read; `env` configures the use of the commit-graph. */
  git(env: Readonly<Record<string, string>>): Promise<T>;
  /** Runs instead of another walk if the graph has grown meanwhile. */
  retry?(): Promise<T>;
}

const WITHOUT_GRAPH = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'core.commitGraph', GIT_CONFIG_VALUE_0: 'false' };

/** The commit history of one repository, read from its commit-graph where possible. */
export class History {
  readonly #dir: string;
  readonly #objects: ObjectReader;
  readonly #pauseMs: number | null;
  #looking: Promise<Known> | undefined;
  #fresh = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  /** The newest layer whose indexes were to be completed. If that failed, the housekeeping retries it. */
  #completed: string | undefined;
  /** Aborts writes in progress. */
  #stop = new AbortController();
  #isCounting = false;
  #isWriting = false;
  /** The graph for which a write of all reachable commits was requested. */
  #wholeFor: CommitGraph | null | undefined;

  /** @param pauseMs delay in milliseconds before the graph is written; null disables writes */
  constructor(dir: string, objects: ObjectReader, pauseMs: number | null = GRAPH_PAUSE_MS) {
    this.#dir = dir;
    this.#objects = objects;
    this.#pauseMs = pauseMs;
  }

  /**
   * Answers a query: in this process, or with git if there are too many commits outside the graph, the graph is too
   * large or damaged, or the history is shallow.
   * @throws errors of the chosen way
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

  /** The commit-graph, if this process reads it. An old graph is still valid for its commits. */
  async graph(): Promise<CommitGraph | null> {
    const { loaded } = this.#recent() ?? (await this.#now());
    return loaded.state === 'good' ? loaded.graph : null;
  }

  /** Whether the commit-graph contains a commit. @throws file system errors for unreadable files */
  async has(oid: string): Promise<boolean> {
    return ((await this.graph())?.find(oid) ?? -1) >= 0;
  }

  /**
   * Line counts of commits against their first parents, for those with a recorded value.
   * @param oids complete ids
   * @throws file system errors for unreadable files
   */
  async stats(oids: readonly string[]): Promise<Map<string, DiffStats>> {
    const statsByOid = new Map<string, DiffStats>();
    const graph = await this.graph();
    if (graph === null) return statsByOid;
    for (const oid of oids) {
      const position = graph.find(oid);
      const stats = position < 0 ? null : graph.stats(position);
      if (stats !== null) statsByOid.set(oid, stats);
    }
    return statsByOid;
  }

  /** Announces commits that refs now point to. They are added to the commit-graph soon. */
  refsChanged(oids: readonly string[]): void {
    if (areGraphsLeft() && packedBytes(this.#dir) <= LARGE_BYTES) return;
    for (const oid of oids) if (this.#fresh.size < MAX_FRESH) this.#fresh.add(oid);
    if (this.#fresh.size === 0 || this.#pauseMs === null) return;
    this.#writeSoon();
    // A large new repository gets many queries at once.
    if ((graphs.get(this)?.loaded.graph ?? null) === null && packedBytes(this.#dir) > LARGE_BYTES) this.#writeNow();
  }

  /** Whether so much of the graph or its path indexes is being written that queries wait for it. */
  get isIndexing(): boolean {
    const { graph, state } = graphs.get(this)?.loaded ?? { graph: null, state: 'good' };
    if (state !== 'good') return false;
    if (graph === null) return this.#isWriting;
    const isLarge = ({ pathIndex, count }: GraphLayer) => pathIndex === null && count > MAX_OUTER_COMMITS;
    return graph.layers.some((layer) => isLarge(layer) && (this.#isWriting || partialIndexOf(layer) !== undefined));
  }

  /**
   * Waits for progress of a write of the graph or a path index; may return early.
   * @param until deadline as returned by `waitEnd`
   * @returns false if nothing is being written or the deadline has passed
   * @throws GitError `aborted` if the caller is aborted
   */
  async moreIndexed(until: number): Promise<boolean> {
    const growth = nextPartialIndex(graphs.get(this)?.loaded.graph?.layers ?? [], this.#isWriting ? this.#dir : null);
    if (growth === undefined || !(await resolvesBefore(until, growth))) return false;
    this.#lookSoon();
    return true;
  }

  /** Waits until all path index writes are complete. @throws GitError `aborted` if the caller is aborted */
  async untilIndexed(): Promise<void> {
    for (const until = waitEnd(); this.isIndexing && (await this.moreIndexed(until)); );
  }

  /**
   * Writes the graph for a query that reaches far beyond it.
   * @returns whether it has grown
   */
  async #grown({ graph }: LoadedGraph): Promise<boolean> {
    if (this.#pauseMs === null) return false;
    if (!this.#isWriting) {
      const isWhole = this.#fresh.size === 0;
      // Commits that nobody announced since the start can only be found through the refs.
      if (isWhole && this.#wholeFor === graph) return false;
      if (isWhole) this.#wholeFor = graph;
      this.#writeNow(isWhole);
    }
    const until = waitEnd();
    while (await this.moreIndexed(until)) if ((await this.#now()).loaded.graph !== graph) return true;
    return (await this.#now()).loaded.graph !== graph;
  }

  /** Discards cached data and leaves pending writes to the housekeeping of the repository. */
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
    // Queries wait for a large index.
    if (graph.layers.some(({ pathIndex, count }) => pathIndex === null && count > MAX_OUTER_COMMITS)) this.#writeNow();
    else this.#writeSoon();
  }

  // The caller may be aborted before it is done.
  #writeSoon(): void {
    this.#timer ??= inScope({ caller: SERVER }, () => setTimeout(() => this.#writeNow(), this.#pauseMs!).unref());
  }

  /** @param isWhole whether to include everything reachable from refs */
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
      // The housekeeping of the repository tries again and reports.
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

  /** Many values are missing if a graph came without them; commits added meanwhile are counted as well. */
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

  /** The state of the last check, if it is recent. */
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
      // Commits read outside the graph may be obsolete, such as those of deleted branches.
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
