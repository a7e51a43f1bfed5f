/** What may be more than the bytes in memory that is still theirs alone. */
const SLACK = 64;

/** A copy of bytes in memory that holds nothing else. */
export function copyBytes(data: Uint8Array): Buffer {
  const copy = Buffer.allocUnsafeSlow(data.length);
  copy.set(data);
  return copy;
}

/**
 * The bytes in memory that holds nothing else. Small buffers share a piece of 64 kB, all of which lasts as long as any of them: whoever
 * keeps some for long takes them out of it.
 */
export function detachedCopy(data: Buffer): Buffer {
  return data.buffer.byteLength <= data.length + SLACK ? data : copyBytes(data);
}

/** A text as UTF-8, in memory that holds nothing else. */
export function encodeUtf8(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}
