import { AsyncLocalStorage } from 'node:async_hooks';

const deferred = new AsyncLocalStorage<true>();

/**
 * Runs work whose commits to an embedded database do not wait for the disk. A power failure, but not the end of the
 * process, may undo them from some point on. The next commit outside of it flushes them all. On PostgreSQL they are
 * ordinary ones.
 */
export const deferFlushes = <T>(work: () => Promise<T>): Promise<T> => deferred.run(true, work);

/** Whether a commit made now need not wait for the disk. */
export const areFlushesDeferred = (): boolean => deferred.getStore() !== undefined;
