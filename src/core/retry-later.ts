/** An error that says when to try again. */
interface RetryableError extends Error {
  /** Milliseconds from now. */
  retryAfterMs: number;
}

/** Thrown by a job that has nothing to do yet: it runs again later, and this does not count as a failure. */
export class RetryLater extends Error implements RetryableError {
  override name = 'RetryLater';
  readonly retryAfterMs: number;

  /** @param retryAfterMs milliseconds from now */
  constructor(retryAfterMs: number, reason: string) {
    super(reason);
    this.retryAfterMs = retryAfterMs;
  }
}

/** Milliseconds until the work behind an error is to be tried again; null if the error is a failure. */
export const retryDelayOf = (error: unknown): number | null =>
  error instanceof Error && 'retryAfterMs' in error && typeof error.retryAfterMs === 'number'
    ? error.retryAfterMs
    : null;
