/** A read at once that takes longer, in milliseconds, has waited for a disk. */
const SLOW_MS = 1;
/** Regions of a file that threads read before the rest of it is read at once: at first, and at most. */
const FEWEST = 4;
const MOST = 4_096;
const GROWTH = 4;
/** So many reads at once without a wait take doubt away. */
const CALM = 64;

/**
 * Whether what no thread has read lies in the memory of the system, as it mostly does. That is found out by trying: a read at
 * once that has to wait for a disk stops everybody, so each one makes the next trial come four times as late, for all files.
 */
export class Doubt {
  /** How many regions threads have to read of a file that is new, or was found to be on a disk. */
  regions = FEWEST;
  #quick = 0;

  /**
   * Takes how long a read at once took.
   * @param isTrial whether no thread had read there before
   * @returns whether it was slow
   */
  took(ms: number, isTrial: boolean): boolean {
    const slow = ms > SLOW_MS;
    if (!isTrial) return slow;
    if (slow) this.regions = Math.min(MOST, this.regions * GROWTH);
    this.#quick = slow ? 0 : this.#quick + 1;
    if (this.#quick === CALM) {
      this.#quick = 0;
      this.regions = Math.max(FEWEST, this.regions / GROWTH);
    }
    return slow;
  }
}
