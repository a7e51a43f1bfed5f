import { ApiError } from '../core/core.errors.ts';

/** The platform's words, over every way in. */
export const READ_ONLY = 'The repository is temporarily read-only. Please try again later.';
const COMES_AGAIN_MS = 5_000;

/** A write comes while the repository is filled or moved, or was begun before it was moved: 400. A job comes again later. */
export class RepositoryReadOnly extends ApiError {
  readonly retryAfterMs = COMES_AGAIN_MS;

  constructor() {
    super(400, READ_ONLY);
  }
}
