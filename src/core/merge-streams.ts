/**
 * What several streams give, as soon as one of them gives something. Where it is left early, or one fails, the others are left as they
 * are.
 * @returns the number of the stream with each
 * @throws what a stream fails with
 */
export async function* mergeStreams<T>(streams: readonly AsyncIterable<T>[]): AsyncGenerator<[nth: number, value: T]> {
  const waiting = new Map<number, Promise<[number, IteratorResult<T>]>>();
  const iterators = streams.map((stream) => stream[Symbol.asyncIterator]());
  const ask = (nth: number) => {
    const next = iterators[nth]!.next().then((result): [number, IteratorResult<T>] => [nth, result]);
    // Told to whoever takes it, which may be nobody.
    next.catch(() => {});
    waiting.set(nth, next);
  };
  for (const nth of iterators.keys()) ask(nth);
  while (waiting.size > 0) {
    const [nth, { done, value }] = await Promise.race(waiting.values());
    waiting.delete(nth);
    if (done === true) continue;
    yield [nth, value];
    ask(nth);
  }
}
