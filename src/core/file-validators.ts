/** Whether something is still as it was when it was looked at. */
type Validator = () => boolean;

/** More than any single answer needs: what looks at so much is made anew. */
const MAX = 20;

/** What an answer was made from besides the database, such that it can be looked at again. */
export class FileValidators {
  readonly #validators: Validator[] = [];

  /** Notes what was found. @param isSame looks again, without waiting for anything */
  add(isSame: Validator): void {
    if (this.#validators.length <= MAX) this.#validators.push(isSame);
  }

  /** Whether all would be found again as it was. */
  areCurrent(): boolean {
    const validators = this.#validators;
    if (validators.length > MAX) return false;
    try {
      for (const isSame of validators) if (!isSame()) return false;
      return true;
    } catch {
      // Whoever looks at it in the ordinary way is told why it cannot be.
      return false;
    }
  }
}
