import { NoResultError } from 'kysely';
import { ApiError, conflict, notFound } from '../core/core.errors.ts';
import { environmentFaultOf } from '../core/environment-fault.ts';
import { isForeignKeyViolation } from '../db/db.errors.ts';
import { GitError } from '../git/common/index.ts';

/** Errors of git with a meaning of their own. */
const EXPECTED = new Set(['busy', 'caller_busy', 'locked', 'timeout', 'output_too_large', 'aborted']);

/**
 * Converts the failure of a handler whose object was deleted meanwhile: the access check is repeated, and missing or
 * newly referenced rows are told from faults of the server.
 * @param method method of the request
 * @param check the route's access check
 * @returns the refusal; the error itself if nothing was deleted
 */
export async function notFoundIfDeleted(error: unknown, method: string, check: () => unknown): Promise<unknown> {
  const expected = error instanceof ApiError || (error instanceof GitError && EXPECTED.has(error.code));
  if (expected || (error as { statusCode?: unknown }).statusCode !== undefined || environmentFaultOf(error) !== null)
    return error;
  try {
    await check();
  } catch (refusal) {
    if (refusal instanceof ApiError) return refusal;
  }
  if (error instanceof NoResultError) return notFound();
  if (isForeignKeyViolation(error)) {
    return method === 'DELETE' ? conflict('409 Conflict - it is used by another object now; try again') : notFound();
  }
  return error;
}
