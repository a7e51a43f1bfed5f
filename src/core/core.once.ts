/**
 * Makes something when it is first asked for, and keeps it; what failed is made anew for the next who asks.
 * @returns a function that gives it @throws what `make` throws
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
