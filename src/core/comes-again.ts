/** An error that says when the same work is worth another attempt. */
interface ComingAgain extends Error {
  /** Milliseconds from now. */
  comesAgainMs: number;
}

/** Thrown by a job that has nothing to do yet: it comes again, which is no failure. */
export class ComesAgain extends Error implements ComingAgain {
  override name = 'ComesAgain';
  readonly comesAgainMs: number;

  /** @param comesAgainMs milliseconds from now */
  constructor(comesAgainMs: number, reason: string) {
    super(reason);
    this.comesAgainMs = comesAgainMs;
  }
}

/** In how many milliseconds the work behind an error comes again; null where the error is a failure. */
export const comesAgainAfter = (error: unknown): number | null =>
  error instanceof Error && 'comesAgainMs' in error && typeof error.comesAgainMs === 'number'
    ? error.comesAgainMs
    : null;
