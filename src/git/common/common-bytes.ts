/** Number of bytes compared in one call. */
const STEP = 1_024;

/**
 * Length of the common prefix of two contents.
 * @param shorter length of the shorter one
 */
export function commonStart(a: Buffer, b: Buffer, shorter: number): number {
  let same = 0;
  while (same + STEP <= shorter && a.compare(b, same, same + STEP, same, same + STEP) === 0) same += STEP;
  while (same < shorter && a[same] === b[same]) same += 1;
  return same;
}

/**
 * Length of the common suffix of two contents.
 * @param limit maximum number of bytes examined
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
