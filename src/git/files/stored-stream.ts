/** Headers of zlib and of the only block. */
const HEAD = 7;
const SUM = 4;
/** Number of bytes whose sums fit into 31 bits. */
const SUMMED = 2_048;
/** Maximum content length of one block. */
export const MAX_STORED_BLOCK = 0xffff;

/** Maximum content length for a stream of at most 4,096 bytes: such a file takes one disk block, compressed or not. */
export const MAX_STORED_BYTES: number = 4_096 - HEAD - SUM;

/**
 * Encodes a zlib stream without compression: setting up zlib takes longer and leaves half a megabyte of garbage.
 * @param content at most `MAX_STORED_BLOCK` bytes
 */
export function storedStream(content: Buffer): Buffer {
  const { length } = content;
  const stream = Buffer.allocUnsafeSlow(HEAD + length + SUM);
  // The final block, of type "stored".
  stream.writeUInt32BE(0x7801_0100, 0);
  stream.writeUInt16LE(length, 3);
  stream.writeUInt16LE(length ^ MAX_STORED_BLOCK, 5);
  content.copy(stream, HEAD);
  stream.writeUInt32BE(adler32(content, length), HEAD + length);
  return stream;
}

/** Content at the start of such a stream, unverified; null for any other stream. */
export function storedStart(stream: Buffer): Buffer | null {
  if (stream.length < HEAD + SUM || stream.readUInt32BE(0) >>> 8 !== 0x7801_01) return null;
  return stream.subarray(HEAD, Math.min(HEAD + stream.readUInt16LE(3), stream.length));
}

/** Adler-32 of the first `size` bytes (RFC 1950, 8.2). */
function adler32(bytes: Buffer, size: number): number {
  let low = 1;
  let high = 0;
  for (let n = 0; n < size; ) {
    for (const end = Math.min(n + SUMMED, size); n < end; n += 1) {
      low += bytes[n]!;
      high += low;
    }
    low %= 65_521;
    high %= 65_521;
  }
  return high * 65_536 + low;
}
