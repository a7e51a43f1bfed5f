/** The same bytes in memory that can be handed over to another thread: it is gone here then, where the content may be kept. */
export function copyOf(data: Uint8Array): Uint8Array {
  const copy = Buffer.allocUnsafeSlow(data.length);
  copy.set(data);
  return copy;
}
