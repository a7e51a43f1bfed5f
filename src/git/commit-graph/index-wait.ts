import { currentScope } from '../../core/request-scope.ts';
import { GitError } from '../common/index.ts';

/** Maximum time in milliseconds that a query waits for indexes that are being written. */
const MAX_WAIT_MS = 20_000;

/**
 * Deadline by `performance.now` for a query that starts now. After it the query is answered without the pending
 * indexes.
 */
export const waitEnd = (): number => performance.now() + MAX_WAIT_MS;

/** Whether a promise fulfils before a deadline. @throws GitError `aborted` if the caller is aborted */
export async function resolvesBefore(until: number, promise: Promise<void>): Promise<boolean> {
  const { signal } = currentScope();
  const ended = Promise.withResolvers<false>();
  const leave = () => ended.reject(new GitError('aborted', 'aborted while waiting for indexes'));
  if (signal?.aborted) leave();
  signal?.addEventListener('abort', leave);
  const timer = setTimeout(() => ended.resolve(false), Math.max(0, until - performance.now()));
  try {
    return await Promise.race([promise.then(() => true), ended.promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', leave);
  }
}
