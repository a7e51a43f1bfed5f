import { GitError } from '../errors.ts';

/** Bytes that are copied one by one: so many take less time than a call. */
const FEW = 32;

const corrupt = () => new GitError('corrupt', 'broken delta');

/** The two sizes that a delta begins with, and where its commands begin. */
function header(delta: Buffer): { base: number; result: number; at: number } {
  const sizes: number[] = [];
  let at = 0;
  for (let n = 0; n < 2; n += 1) {
    let size = 0;
    let factor = 1;
    let byte: number;
    do {
      if (at >= delta.length || factor > 2 ** 49) throw corrupt();
      byte = delta[at]!;
      at += 1;
      size += (byte & 0x7f) * factor;
      factor *= 128;
    } while (byte & 0x80);
    sizes.push(size);
  }
  return { base: sizes[0]!, result: sizes[1]!, at };
}

/** Bytes of what a delta, or the beginning of one, makes; throws GitError `corrupt`. */
export const resultSize = (delta: Buffer): number => header(delta).result;

/**
 * What a delta makes of its base (gitformat-pack, "Deltified representation").
 * @param maxBytes of the result
 * @param scratch memory for a result that is needed for a moment, where it is large enough
 * @throws GitError `corrupt`
 */
export function applyDelta(base: Buffer, delta: Buffer, maxBytes: number, scratch?: Buffer): Buffer {
  const stated = header(delta);
  if (stated.base !== base.length || stated.result > maxBytes) throw corrupt();
  const fits = scratch !== undefined && stated.result <= scratch.length;
  const result = fits ? scratch.subarray(0, stated.result) : Buffer.allocUnsafe(stated.result);
  let { at } = stated;
  let filled = 0;
  while (at < delta.length) {
    const command = delta[at]!;
    at += 1;
    if (command & 0x80) {
      let from = 0;
      let size = 0;
      if (command & 0x01) from = delta[at++]!;
      if (command & 0x02) from |= delta[at++]! << 8;
      if (command & 0x04) from |= delta[at++]! << 16;
      if (command & 0x08) from += delta[at++]! * 0x1000000;
      if (command & 0x10) size = delta[at++]!;
      if (command & 0x20) size |= delta[at++]! << 8;
      if (command & 0x40) size |= delta[at++]! << 16;
      if (size === 0) size = 0x10000;
      // Bytes that are missing make these comparisons false, too.
      if (!(at <= delta.length && from + size <= base.length && filled + size <= result.length)) throw corrupt();
      const end = filled + size;
      if (size > FEW) base.copy(result, filled, from, from + size);
      else for (let n = filled; n < end; n += 1) result[n] = base[from++]!;
      filled = end;
    } else {
      if (command === 0 || at + command > delta.length || filled + command > result.length) throw corrupt();
      const end = filled + command;
      if (command > FEW) delta.copy(result, filled, at, at + command);
      else for (let n = filled, next = at; n < end; n += 1) result[n] = delta[next++]!;
      at += command;
      filled = end;
    }
  }
  if (filled !== result.length) throw corrupt();
  return result;
}
