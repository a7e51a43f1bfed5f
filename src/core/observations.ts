/** Whether something is still as it was when it was looked at. */
type Look = () => boolean;

/** More than any single answer needs: what looks at so much is made anew. */
const MOST = 20;

/** What an answer was made from besides the database, such that it can be looked at again. */
export class Observations {
  readonly #looks: Look[] = [];

  /** Notes what was found. @param isSame looks again, without waiting for anything */
  note(isSame: Look): void {
    if (this.#looks.length <= MOST) this.#looks.push(isSame);
  }

  /** Whether all would be found again as it was. */
  stillHold(): boolean {
    const looks = this.#looks;
    if (looks.length > MOST) return false;
    try {
      for (const isSame of looks) if (!isSame()) return false;
      return true;
    } catch {
      // Whoever looks at it in the ordinary way is told why it cannot be.
      return false;
    }
  }
}
