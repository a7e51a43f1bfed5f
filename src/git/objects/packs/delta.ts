import { GitError } from '../../common/index.ts';

/** Up to this many bytes, copying one by one is faster than a call. */
const FEW = 32;

const corrupt = () => new GitError('corrupt', 'broken delta');

/** End of the last size read by `sizeAt`. A variable avoids allocations: each delta has two sizes. */
let sizeEnd = 0;

/** Reads one of the two sizes at the start of a delta. */
function sizeAt(delta: Buffer, from: number): number {
  let size = 0;
  let factor = 1;
  for (let at = from; at < delta.length && factor <= 2 ** 49; at += 1) {
    const byte = delta[at]!;
    size += (byte & 0x7f) * factor;
    factor *= 128;
    if (byte & 0x80) continue;
    sizeEnd = at + 1;
    return size;
  }
  throw corrupt();
}

/** Size of the result of a delta, of which the first bytes are enough; throws GitError `corrupt`. */
export function resultSize(delta: Buffer): number {
  sizeAt(delta, 0);
  return sizeAt(delta, sizeEnd);
}

/**
 * Applies a delta to its base (gitformat-pack, "Deltified representation").
 * @param maxBytes maximum size of the result
 * @param buffer reusable memory for a short-lived result, used if it is large enough
 * @throws GitError `corrupt`
 */
export function applyDelta(base: Buffer, delta: Buffer, maxBytes: number, buffer?: Buffer): Buffer {
  const stated = sizeAt(delta, 0);
  const made = sizeAt(delta, sizeEnd);
  if (stated !== base.length || made > maxBytes) throw corrupt();
  const fits = buffer !== undefined && made <= buffer.length;
  const result = fits ? buffer.subarray(0, made) : Buffer.allocUnsafe(made);
  let at = sizeEnd;
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
      // Missing bytes make these comparisons false as well.
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
