import { ApiError } from '../core/core.errors.ts';

/** The platform's refusal, for all transports. */
export const READ_ONLY = 'The repository is temporarily read-only. Please try again later.';
const COMES_AGAIN_MS = 5_000;

/**
 * Refusal for writes while the repository is being imported or moved, or that began before a move: 400. Jobs are
 * retried later.
 */
export class RepositoryReadOnly extends ApiError {
  readonly retryAfterMs = COMES_AGAIN_MS;

  constructor() {
    super(400, READ_ONLY);
  }
}
