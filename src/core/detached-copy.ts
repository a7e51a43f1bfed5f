/** Surplus bytes up to which memory counts as unshared. */
const SLACK = 64;

/** A copy of bytes in memory of its own. */
export function copyBytes(data: Uint8Array): Buffer {
  const copy = Buffer.allocUnsafeSlow(data.length);
  copy.set(data);
  return copy;
}

/**
 * The bytes in memory of their own. Small buffers share a pool of 64 kB that is retained as long as any of them:
 * buffers that are kept for long are copied out of it.
 */
export function detachedCopy(data: Buffer): Buffer {
  return data.buffer.byteLength <= data.length + SLACK ? data : copyBytes(data);
}

/** Encodes a text as UTF-8 in memory of its own. */
export function encodeUtf8(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}
