/**
 * Does something with each of many things, a few at a time. The first error ends all that is under way, by the signal that
 * the work is given; nothing more begins, and it is thrown once all that had begun has ended.
 * @param concurrency how many are under way at once
 * @throws what the callback throws; the signal's reason
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

/** The same for one thing or none, as most are: without what it takes to tell several of them to end. */
async function runOne<T>(
  items: readonly T[],
  signal: AbortSignal | null,
  callback: (item: T, signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  signal?.throwIfAborted();
  for (const item of items) await callback(item, signal ?? new AbortController().signal);
  signal?.throwIfAborted();
}
