import { NoResultError } from 'kysely';
import { ApiError, conflict, notFound } from '../core/core.errors.ts';
import { environmentFaultOf } from '../core/environment-fault.ts';
import { isForeignKeyViolation } from '../db/db.errors.ts';
import { GitError } from '../git/git.errors.ts';

/** Errors of git that say what is wrong by themselves. */
const TOLD = new Set(['busy', 'caller_busy', 'locked', 'timeout', 'output_too_large', 'aborted']);

/**
 * What a handler's failure is where something was removed while it worked: what it was asked about is looked at once more,
 * and a row that it needed or that others have begun to need is told from a fault of the server.
 * @param method of the request
 * @param check the route's access check
 * @returns what to answer; the error itself where nothing has gone away
 */
export async function notFoundIfDeleted(error: unknown, method: string, check: () => unknown): Promise<unknown> {
  const expected = error instanceof ApiError || (error instanceof GitError && TOLD.has(error.code));
  if (expected || (error as { statusCode?: unknown }).statusCode !== undefined || environmentFaultOf(error) !== null)
    return error;
  try {
    await check();
  } catch (refusal) {
    if (refusal instanceof ApiError) return refusal;
  }
  if (error instanceof NoResultError) return notFound();
  if (isForeignKeyViolation(error)) {
    return method === 'DELETE' ? conflict('409 Conflict - it came into use meanwhile; try again') : notFound();
  }
  return error;
}
