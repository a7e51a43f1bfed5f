/**
 * Does something with each of many things, a few at a time. The first error ends all that is under way, by the signal that
 * the work is given; nothing more begins, and it is thrown once all that had begun has ended.
 * @param atOnce how many are under way at once
 * @throws what the work throws; the signal's reason
 */
export async function inTurns<T>(
  things: Iterable<T>,
  atOnce: number,
  signal: AbortSignal | null,
  work: (thing: T, signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  if (Array.isArray(things) && things.length < 2) return doOne(things as T[], signal, work);
  const queue = things[Symbol.iterator]();
  const cut = new AbortController();
  const both = signal === null ? cut.signal : AbortSignal.any([signal, cut.signal]);
  const errors: unknown[] = [];
  const lane = async () => {
    while (!both.aborted) {
      const next = queue.next();
      if (next.done) return;
      await work(next.value, both).catch((error: unknown) => {
        errors.push(error);
        cut.abort();
      });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  if (errors.length > 0) throw errors[0];
  signal?.throwIfAborted();
}

/** The same for one thing or none, as most are: without what it takes to tell several of them to end. */
async function doOne<T>(
  things: readonly T[],
  signal: AbortSignal | null,
  work: (thing: T, signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  signal?.throwIfAborted();
  for (const thing of things) await work(thing, signal ?? new AbortController().signal);
  signal?.throwIfAborted();
}
