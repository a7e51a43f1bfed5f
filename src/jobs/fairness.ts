/** So much later than the one before it comes each further job of a project that waits. */
const STEP_MS = 50;
/** No job comes later than this for what its project has asked for before. */
const LONGEST_MS = 600_000;
const MAX_ENTRIES = 10_000;

/**
 * Gives the projects of a lane their turns: who asks for much comes after who asks for little, but nobody waits while
 * workers are idle. Each process counts for itself.
 */
export class FairScheduler {
  readonly #last = new Map<string, number>();

  /**
   * The place of a new job in its lane.
   * @param dueMs when it may run at the earliest; what is delayed takes nobody's turn
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

  /** Nothing waits in the lane any more. */
  reset(lane: string): void {
    for (const key of this.#last.keys()) if (key.startsWith(`${lane}:`)) this.#last.delete(key);
  }
}
