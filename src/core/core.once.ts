/**
 * Computes a value at the first use and caches it; failures are not cached.
 * @returns a function that returns the value @throws errors of `make`
 */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let cached: Promise<T> | undefined;
  return () => {
    if (cached !== undefined) return cached;
    const promise = make();
    cached = promise;
    promise.catch(() => {
      if (cached === promise) cached = undefined;
    });
    return promise;
  };
}
