/** What may be more than the bytes in memory that is still theirs alone. */
const SLACK = 64;

/**
 * The bytes in memory that holds nothing else. Small buffers share a piece of 64 kB, all of which lasts as long as any of them: whoever
 * keeps some for long takes them out of it.
 */
export function inOwnMemory(data: Buffer): Buffer {
  if (data.buffer.byteLength <= data.length + SLACK) return data;
  const copy = Buffer.allocUnsafeSlow(data.length);
  copy.set(data);
  return copy;
}

/** A text as UTF-8, in memory that holds nothing else. */
export function encoded(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}
