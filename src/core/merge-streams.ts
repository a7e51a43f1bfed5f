/**
 * Merges several streams in the order in which items arrive. If the iteration ends early or a stream fails, the other
 * streams are not closed.
 * @returns items with the index of their stream
 * @throws errors of the streams
 */
export async function* mergeStreams<T>(streams: readonly AsyncIterable<T>[]): AsyncGenerator<[nth: number, value: T]> {
  const waiting = new Map<number, Promise<[number, IteratorResult<T>]>>();
  const iterators = streams.map((stream) => stream[Symbol.asyncIterator]());
  const ask = (nth: number) => {
    const next = iterators[nth]!.next().then((result): [number, IteratorResult<T>] => [nth, result]);
    // Reported to the consumer, if there still is one.
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
