import { ApiError } from './core.errors.ts';

/**
 * A refusal for want of means: memory, places, time of a processor. It says nothing about what was asked, which comes again: a
 * client after `Retry-After`, a job by itself (`retry-later.ts`).
 */
export class Busy extends ApiError {
  readonly retryAfterMs: number;

  /** @param status 429 where the caller alone has too much under way, else 503; @param seconds until it is worth another attempt */
  constructor(status: 429 | 503, message: string, seconds: number) {
    super(status, message, {}, { 'Retry-After': String(seconds) });
    this.retryAfterMs = seconds * 1_000;
  }
}
