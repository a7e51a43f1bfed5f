import { currentScope } from '../../core/request-scope.ts';
import { GitError } from '../git.errors.ts';

/** So long a question waits for indexes that are being written, in milliseconds. */
const MAX_WAIT_MS = 20_000;

/** How long a question that begins now waits for what is being written, by `performance.now`: then it is answered without it. */
export const waitEnd = (): number => performance.now() + MAX_WAIT_MS;

/** Whether a promise fulfils in time. @throws GitError `aborted` where the caller leaves before */
export async function resolvesBefore(until: number, promise: Promise<void>): Promise<boolean> {
  const { signal } = currentScope();
  const ended = Promise.withResolvers<false>();
  const leave = () => ended.reject(new GitError('aborted', 'nobody waits any more'));
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
