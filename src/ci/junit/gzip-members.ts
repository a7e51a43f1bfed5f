import { promisify } from 'node:util';
import { type InflateRaw, inflateRaw } from 'node:zlib';

interface Inflated {
  buffer: Buffer;
  engine: InflateRaw;
}
const inflate = promisify(inflateRaw) as unknown as (
  bytes: Buffer,
  options: { info: true; maxOutputLength: number },
) => Promise<Inflated>;

const HEADER = 10;
const TRAILER = 8;
const [HAS_CRC, HAS_EXTRA, HAS_NAME, HAS_COMMENT] = [2, 4, 8, 16];

/** Why data cannot be decompressed. */
export class GzipError extends Error {
  override name = 'GzipError';
}

/** Start of a member's data (RFC 1952, 2.3). @throws GzipError */
function dataStart(bytes: Buffer, start: number): number {
  if (start + HEADER > bytes.length || bytes.readUInt32BE(start) >>> 8 !== 0x1f8b08)
    throw new GzipError('not in gzip format');
  const flags = bytes[start + 3]!;
  let at = start + HEADER;
  if (flags & HAS_EXTRA) at += 2 + (at + 2 <= bytes.length ? bytes.readUInt16LE(at) : 0);
  for (const text of [HAS_NAME, HAS_COMMENT]) {
    if (!(flags & text)) continue;
    const end = bytes.indexOf(0, at);
    at = end === -1 ? bytes.length : end + 1;
  }
  if (flags & HAS_CRC) at += 2;
  if (at >= bytes.length) throw new GzipError('cut off');
  return at;
}

/**
 * Decompresses the members of a gzip file: a runner compresses each file of a report separately.
 * @param maxBytes maximum total size
 * @throws GzipError if the file is invalid, damaged, or too large
 */
export async function* gzipMembers(bytes: Buffer, maxBytes: number): AsyncGenerator<Buffer, void, void> {
  let left = maxBytes;
  for (let at = 0; at < bytes.length; ) {
    const start = dataStart(bytes, at);
    let member: Inflated;
    try {
      member = await inflate(bytes.subarray(start), { info: true, maxOutputLength: Math.max(1, left) });
    } catch (error) {
      throw new GzipError((error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE' ? 'too large' : 'damaged');
    }
    left -= member.buffer.length;
    if (left < 0) throw new GzipError('too large');
    at = start + member.engine.bytesWritten + TRAILER;
    if (at > bytes.length) throw new GzipError('cut off');
    yield member.buffer;
  }
}
