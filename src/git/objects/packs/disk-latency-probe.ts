/** A synchronous read that takes longer than this many milliseconds has waited for a disk. */
const SLOW_MS = 1;
/** Number of regions of a file that threads read before the rest is read synchronously: initially, and at most. */
const FEWEST = 4;
const MAX = 4_096;
const GROWTH = 4;
/** Number of consecutive fast synchronous reads that reset the probe. */
const FAST_READS_TO_RECOVER = 64;

/**
 * Estimates whether unread data is in the page cache, as it usually is. A synchronous read that waits for a disk blocks
 * the event loop, so each such read quadruples the distance to the next trial, for all files.
 */
export class DiskLatencyProbe {
  /** Number of regions that threads must read of a new file, or of one found on a slow disk. */
  regions = FEWEST;
  #fastReads = 0;

  /**
   * Records the duration of a synchronous read.
   * @param isTrial whether no thread had read that region before
   * @returns whether it was slow
   */
  record(ms: number, isTrial: boolean): boolean {
    const slow = ms > SLOW_MS;
    if (!isTrial) return slow;
    if (slow) this.regions = Math.min(MAX, this.regions * GROWTH);
    this.#fastReads = slow ? 0 : this.#fastReads + 1;
    if (this.#fastReads === FAST_READS_TO_RECOVER) {
      this.#fastReads = 0;
      this.regions = Math.max(FEWEST, this.regions / GROWTH);
    }
    return slow;
  }
}
