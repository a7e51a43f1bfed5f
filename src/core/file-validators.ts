/** Returns whether something is unchanged since it was read. */
type Validator = () => boolean;

/** Maximum number of validators: an answer with more dependencies is not cached. */
const MAX = 20;

/** Validators of everything an answer depends on besides the database. */
export class FileValidators {
  readonly #validators: Validator[] = [];

  /** Adds a validator. @param isSame checks synchronously */
  add(isSame: Validator): void {
    if (this.#validators.length <= MAX) this.#validators.push(isSame);
  }

  /** Whether everything is unchanged. */
  areCurrent(): boolean {
    const validators = this.#validators;
    if (validators.length > MAX) return false;
    try {
      for (const isSame of validators) if (!isSame()) return false;
      return true;
    } catch {
      // Regular code paths report the error.
      return false;
    }
  }
}
