import { copyBytes, detachedCopy } from '../../core/detached-copy.ts';

const lending = new WeakSet<ArrayBufferLike>();

/** Memory that is used again and again: what lies in it is to be used before the next wait, or made one's `copyFromPool`. */
export function allocateScratch(bytes: number): Buffer {
  const memory = Buffer.allocUnsafeSlow(bytes);
  lending.add(memory.buffer);
  return memory;
}

/** What lies in memory that is used again, in memory of its own; to be called before any wait. */
export function copyFromPool(data: Buffer): Buffer {
  return lending.has(data.buffer) ? detachFromPool(data) : data;
}

/** The same, also where it lies in memory that others share, which would be kept with it. */
export function detachFromPool(data: Buffer): Buffer {
  return lending.has(data.buffer) ? copyBytes(data) : detachedCopy(data);
}
