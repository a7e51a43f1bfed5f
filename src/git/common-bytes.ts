/** So many bytes are compared at once. */
const STEP = 1_024;

/**
 * How many bytes two contents have in common before the first in which they differ.
 * @param shorter the length of the shorter one
 */
export function commonStart(a: Buffer, b: Buffer, shorter: number): number {
  let same = 0;
  while (same + STEP <= shorter && a.compare(b, same, same + STEP, same, same + STEP) === 0) same += STEP;
  while (same < shorter && a[same] === b[same]) same += 1;
  return same;
}

/**
 * How many bytes two contents have in common behind the last in which they differ.
 * @param limit of them that are looked at
 */
export function commonEnd(a: Buffer, b: Buffer, limit: number): number {
  let same = 0;
  const isSame = (size: number) => {
    const [endA, endB] = [a.length - same, b.length - same];
    return a.compare(b, endB - size, endB, endA - size, endA) === 0;
  };
  while (same + STEP <= limit && isSame(STEP)) same += STEP;
  while (same < limit && a[a.length - same - 1] === b[b.length - same - 1]) same += 1;
  return same;
}
