/**
 * Computes a value at the first use and caches it; failures are not cached.
 * @returns a function that returns the value @throws errors of `make`
 */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let kept: Promise<T> | undefined;
  return () => {
    if (kept !== undefined) return kept;
    const made = make();
    kept = made;
    made.catch(() => {
      if (kept === made) kept = undefined;
    });
    return made;
  };
}
