/** A pack entry as stored. */
export interface Entry {
  /** Start of the entry, and start of its compressed data. */
  offset: number;
  dataAt: number;
  /** Type number in the pack; 6 and 7 are deltas. */
  kind: number;
  /** Inflated size in bytes. */
  size: number;
  /** Offset of the base entry, for deltas by offset. */
  base: number;
}

export const OFS_DELTA = 6;
export const REF_DELTA = 7;
export const LONGEST_HEADER = 64;

/**
 * Parses an entry header (gitformat-pack, "pack entries").
 * @param bytes contain the header from `from` on and end at `to`
 * @param offset of the entry in its pack
 * @returns null for an invalid header
 */
export function entryAt(bytes: Buffer, from: number, to: number, offset: number, hashBytes: number): Entry | null {
  let at = from;
  let byte = at < to ? bytes[at]! : 0;
  at += 1;
  const kind = (byte >> 4) & 7;
  let size = byte & 15;
  for (let factor = 16; byte & 0x80; factor *= 128) {
    byte = at < to ? bytes[at]! : 0;
    at += 1;
    size += (byte & 0x7f) * factor;
    if (factor > 2 ** 46) return null;
  }
  if (kind === 0 || kind === 5) return null;
  let base = -1;
  if (kind === REF_DELTA) at += hashBytes;
  if (kind === OFS_DELTA) {
    byte = at < to ? bytes[at]! : 0;
    at += 1;
    let back = byte & 0x7f;
    while (byte & 0x80 && at < to) {
      byte = bytes[at]!;
      at += 1;
      back = (back + 1) * 128 + (byte & 0x7f);
    }
    base = offset - back;
    if (back === 0 || base < 12) return null;
  }
  return { offset, dataAt: offset + at - from, kind, size, base };
}
