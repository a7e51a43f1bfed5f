import { setImmediate as nextTurn } from 'node:timers/promises';

/** Steps before other work gets its turn: well below a millisecond. */
export const SLICE = 1_024;

/** The integers below a length. */
export function indices(length: number): Uint32Array<ArrayBuffer> {
  const numbers = new Uint32Array(length);
  for (let at = 0; at < length; at += 1) numbers[at] = at;
  return numbers;
}

/**
 * Sorts numbers in slices, so that a hundred thousand of them do not block the event loop.
 * @param compare negative if the first argument comes first; equal ones keep their order
 */
export async function sortInSlices(
  items: Uint32Array<ArrayBuffer>,
  compare: (a: number, b: number) => number,
): Promise<Uint32Array<ArrayBuffer>> {
  for (let from = 0; from < items.length; from += SLICE) {
    items.subarray(from, from + SLICE).sort(compare);
    await nextTurn();
  }
  let [source, target] = [items, new Uint32Array(items.length)];
  for (let width = SLICE; width < items.length; width *= 2) {
    for (let from = 0; from < items.length; from += 2 * width) await merge(source, target, from, width, compare);
    [source, target] = [target, source];
  }
  return source;
}

/** Merges two adjacent sorted runs of a width. */
async function merge(
  source: Uint32Array,
  target: Uint32Array,
  from: number,
  width: number,
  compare: (a: number, b: number) => number,
): Promise<void> {
  const middle = Math.min(from + width, source.length);
  const end = Math.min(from + 2 * width, source.length);
  for (let at = from, left = from, right = middle; at < end; at++) {
    const takesLeft = right >= end || (left < middle && compare(source[left]!, source[right]!) <= 0);
    target[at] = takesLeft ? source[left++]! : source[right++]!;
    if (at % SLICE === 0) await nextTurn();
  }
}
