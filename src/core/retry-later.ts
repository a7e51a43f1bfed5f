/** An error that says when the same work is worth another attempt. */
interface RetryableError extends Error {
  /** Milliseconds from now. */
  retryAfterMs: number;
}

/** Thrown by a job that has nothing to do yet: it comes again, which is no failure. */
export class RetryLater extends Error implements RetryableError {
  override name = 'RetryLater';
  readonly retryAfterMs: number;

  /** @param retryAfterMs milliseconds from now */
  constructor(retryAfterMs: number, reason: string) {
    super(reason);
    this.retryAfterMs = retryAfterMs;
  }
}

/** In how many milliseconds the work behind an error comes again; null where the error is a failure. */
export const retryDelayOf = (error: unknown): number | null =>
  error instanceof Error && 'retryAfterMs' in error && typeof error.retryAfterMs === 'number'
    ? error.retryAfterMs
    : null;
