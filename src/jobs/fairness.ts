/** Delay of each further waiting job of a project after the one before it. */
const STEP_MS = 50;
/** Maximum delay of a job because of earlier jobs of its project. */
const LONGEST_MS = 600_000;
const MAX_ENTRIES = 10_000;

/**
 * Schedules the jobs of a lane fairly between projects: jobs of busy projects come later, but no job waits while
 * workers are idle. Each process counts separately.
 */
export class FairScheduler {
  readonly #last = new Map<string, number>();

  /**
   * The position of a new job in its lane.
   * @param dueMs earliest time to run; delayed jobs take no turn
   */
  next(lane: string, projectId: number | null, dueMs: number, nowMs: number): number {
    if (projectId === null || dueMs > nowMs) return dueMs;
    const key = `${lane}:${projectId}`;
    const last = this.#last.get(key);
    const turn = last === undefined ? dueMs : Math.min(Math.max(dueMs, last + STEP_MS), dueMs + LONGEST_MS);
    if (this.#last.size >= MAX_ENTRIES) this.#last.clear();
    this.#last.set(key, turn);
    return turn;
  }

  /** Resets all lanes. */
  clear(): void {
    this.#last.clear();
  }

  /** Resets the lane after it has become empty. */
  reset(lane: string): void {
    for (const key of this.#last.keys()) if (key.startsWith(`${lane}:`)) this.#last.delete(key);
  }
}
