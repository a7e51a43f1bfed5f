import { ApiError } from './core.errors.ts';

/**
 * A refusal for lack of resources: memory, slots, processor time. The request itself may be valid and can be repeated:
 * by a client after `Retry-After`, by a job automatically (`retry-later.ts`).
 */
export class Busy extends ApiError {
  readonly retryAfterMs: number;

  /**
   * @param status 429 if the caller alone has too much in progress, else 503; @param seconds delay before another
   *   attempt
   */
  constructor(status: 429 | 503, message: string, seconds: number) {
    super(status, message, {}, { 'Retry-After': String(seconds) });
    this.retryAfterMs = seconds * 1_000;
  }
}
