/** A read at once that takes longer, in milliseconds, has waited for a disk. */
const SLOW_MS = 1;
/** Regions of a file that threads read before the rest of it is read at once: at first, and at most. */
const FEWEST = 4;
const MAX = 4_096;
const GROWTH = 4;
/** So many reads at once without a wait take doubt away. */
const FAST_READS_TO_RECOVER = 64;

/**
 * Whether what no thread has read lies in the memory of the system, as it mostly does. That is found out by trying: a read at
 * once that has to wait for a disk stops everybody, so each one makes the next trial come four times as late, for all files.
 */
export class DiskLatencyProbe {
  /** How many regions threads have to read of a file that is new, or was found to be on a disk. */
  regions = FEWEST;
  #fastReads = 0;

  /**
   * Takes how long a read at once took.
   * @param isTrial whether no thread had read there before
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
