import { adler32 } from '../../files/index.ts';

/** Above this size zlib is as fast with the fixed code. */
const MAX_FIXED = 1024;
/** Up to this many bytes are copied one by one. */
const FEW = 64;

const reversed = (code: number, bits: number): number => {
  let result = 0;
  for (let n = 0; n < bits; n += 1) result |= ((code >> n) & 1) << (bits - 1 - n);
  return result;
};

/**
 * Index: the next nine bits. Value: the symbol of the fixed code (RFC 1951, 3.2.6) times 16, plus its length in bits.
 */
const SYMBOLS = new Uint16Array(512);
/** Index: the next five bits. Value: a distance code. */
const DISTANCES = new Uint8Array(32);
for (let symbol = 0; symbol < 288; symbol += 1) {
  const bits = symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8;
  const code =
    symbol < 144
      ? 0x30 + symbol
      : symbol < 256
        ? 0x190 + symbol - 144
        : symbol < 280
          ? symbol - 256
          : symbol - 280 + 0xc0;
  for (let at = reversed(code, bits); at < 512; at += 1 << bits) SYMBOLS[at] = symbol * 16 + bits;
}
for (let code = 0; code < 32; code += 1) DISTANCES[reversed(code, 5)] = code;

/** Lengths and distances (RFC 1951, 3.2.5): the minimum of each code, and the number of extra bits. */
const [LENGTH, LENGTH_BITS] = ranges(28, 3, 4, 8);
LENGTH[28] = 258;
const [DISTANCE, DISTANCE_BITS] = ranges(30, 1, 2, 4);

function ranges(codes: number, first: number, step: number, single: number): [Uint16Array, Uint8Array] {
  const least = new Uint16Array(32);
  const bits = new Uint8Array(32);
  let next = first;
  for (let code = 0; code < codes; code += 1) {
    bits[code] = code < single ? 0 : Math.floor(code / step) - 1;
    least[code] = next;
    next += 1 << bits[code]!;
  }
  return [least, bits];
}

/** Position in the input, and the bits that were read ahead with their number. */
let input: Buffer;
let at = 0;
let bits = 0;
let held = 0;

/**
 * Inflates a zlib stream of stored blocks or blocks with the fixed code, as most deltas are. Setting up zlib would take
 * several times as long. Verifies the checksum.
 * @param from start of the stream in `bytes`; `to` is a position at or after its end
 * @param out receives `size` bytes of output
 * @returns false for any other stream, including damaged ones, which zlib then judges
 */
export function inflateSmall(bytes: Buffer, from: number, to: number, out: Buffer, size: number): boolean {
  // The first block starts after two bytes: one bit marks the last block, two give its type.
  if (to - from < 6 || size > out.length) return false;
  const kind = bytes[from + 2]! & 6;
  if (kind > 2 || (kind === 2 && size > MAX_FIXED)) return false;
  const head = bytes[from]! * 256 + bytes[from + 1]!;
  if ((head & 0x8f00) !== 0x0800 || head % 31 !== 0 || (head & 0x20) !== 0) return false;
  input = bytes;
  at = from + 2;
  bits = 0;
  held = 0;
  let filled = 0;
  for (let isLast = false; !isLast; ) {
    need(3);
    isLast = (bits & 1) === 1;
    const block = bits & 6;
    bits >>>= 3;
    held -= 3;
    if (block > 2) return false;
    filled = block === 0 ? stored(to, out, filled, size) : fixed(out, filled, size);
    if (filled < 0 || at - (held >> 3) > to) return false;
  }
  at -= held >> 3;
  return filled === size && at + 4 <= to && bytes.readUInt32BE(at) === adler32(out, size);
}

function need(count: number): void {
  for (; held < count; held += 8) bits |= input[at++]! << held;
}

/** Copies a stored block. @returns the new position in the output; -1 if the block is invalid */
function stored(to: number, out: Buffer, filled: number, size: number): number {
  at -= held >> 3;
  bits = 0;
  held = 0;
  if (at + 4 > to) return -1;
  const length = input[at]! | (input[at + 1]! << 8);
  if ((length ^ (input[at + 2]! | (input[at + 3]! << 8))) !== 0xffff) return -1;
  at += 4;
  const end = filled + length;
  if (at + length > to || end > size) return -1;
  if (length > FEW) {
    input.copy(out, filled, at, at + length);
    at += length;
    return end;
  }
  for (let next = filled; next < end; next += 1) out[next] = input[at++]!;
  return end;
}

/** Decodes a block with the fixed code; returns as `stored`. */
function fixed(out: Buffer, from: number, size: number): number {
  let filled = from;
  for (;;) {
    need(18);
    const found = SYMBOLS[bits & 511]!;
    const symbol = found >> 4;
    bits >>>= found & 15;
    held -= found & 15;
    if (symbol < 256) {
      if (filled === size) return -1;
      out[filled++] = symbol;
      continue;
    }
    if (symbol === 256) return filled;
    const length = LENGTH[symbol - 257]! + (bits & ((1 << LENGTH_BITS[symbol - 257]!) - 1));
    bits >>>= LENGTH_BITS[symbol - 257]!;
    held -= LENGTH_BITS[symbol - 257]!;
    need(18);
    const code = DISTANCES[bits & 31]!;
    bits >>>= 5;
    const distance = DISTANCE[code]! + (bits & ((1 << DISTANCE_BITS[code]!) - 1));
    bits >>>= DISTANCE_BITS[code]!;
    held -= 5 + DISTANCE_BITS[code]!;
    const end = filled + length;
    if (symbol > 285 || code > 29 || distance > filled || end > size) return -1;
    for (; filled < end; filled += 1) out[filled] = out[filled - distance]!;
  }
}
