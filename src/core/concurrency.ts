/**
 * Runs an async function for many items with limited concurrency. The first error aborts the signal passed to the
 * running calls and starts no others; it is thrown after all of them have ended.
 * @param concurrency number of concurrent calls
 * @throws errors of the callback; the signal's reason
 */
export async function forEachWithConcurrency<T>(
  items: Iterable<T>,
  concurrency: number,
  signal: AbortSignal | null,
  callback: (item: T, signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  if (Array.isArray(items) && items.length < 2) return runOne(items as T[], signal, callback);
  const queue = items[Symbol.iterator]();
  const cut = new AbortController();
  const both = signal === null ? cut.signal : AbortSignal.any([signal, cut.signal]);
  const errors: unknown[] = [];
  const lane = async () => {
    while (!both.aborted) {
      const next = queue.next();
      if (next.done) return;
      await callback(next.value, both).catch((error: unknown) => {
        errors.push(error);
        cut.abort();
      });
    }
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  if (errors.length > 0) throw errors[0];
  signal?.throwIfAborted();
}

/** Shortcut for one item or none, without the machinery for aborting others. */
async function runOne<T>(
  items: readonly T[],
  signal: AbortSignal | null,
  callback: (item: T, signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  signal?.throwIfAborted();
  for (const item of items) await callback(item, signal ?? new AbortController().signal);
  signal?.throwIfAborted();
}
