import { sumOf } from './inflate-small.ts';

/** Of zlib, and of its only block. */
const HEAD = 7;
const SUM = 4;
/** The longest content that one block takes. */
export const MAX_STORED_BLOCK = 0xffff;

/** The longest content that takes no more than 4,096 bytes as it is: a file of it has one block on most disks, compressed or not. */
export const MAX_STORED_BYTES: number = 4_096 - HEAD - SUM;

/**
 * A stream of zlib that has its content as it is: to set zlib up takes longer, and half a megabyte that is left to the garbage collector.
 * @param content at most `MAX_STORED_BLOCK` bytes
 */
export function storedStream(content: Buffer): Buffer {
  const { length } = content;
  const stream = Buffer.allocUnsafeSlow(HEAD + length + SUM);
  // The last block, of the kind that is stored.
  stream.writeUInt32BE(0x7801_0100, 0);
  stream.writeUInt16LE(length, 3);
  stream.writeUInt16LE(length ^ MAX_STORED_BLOCK, 5);
  content.copy(stream, HEAD);
  stream.writeUInt32BE(sumOf(content, length), HEAD + length);
  return stream;
}

/** What such a stream has at its beginning, unchecked; null for any other. */
export function storedStart(stream: Buffer): Buffer | null {
  if (stream.length < HEAD + SUM || stream.readUInt32BE(0) >>> 8 !== 0x7801_01) return null;
  return stream.subarray(HEAD, Math.min(HEAD + stream.readUInt16LE(3), stream.length));
}
