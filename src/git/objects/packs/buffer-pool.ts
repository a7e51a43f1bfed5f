import { copyBytes, detachedCopy } from '../../../core/detached-copy.ts';

const lending = new WeakSet<ArrayBufferLike>();

/** Allocates reusable memory. Its content must be used before the next wait, or copied with `copyFromPool`. */
export function allocateScratch(bytes: number): Buffer {
  const memory = Buffer.allocUnsafeSlow(bytes);
  lending.add(memory.buffer);
  return memory;
}

/** Copies data out of reusable memory. Must be called before any wait. */
export function copyFromPool(data: Buffer): Buffer {
  return lending.has(data.buffer) ? detachFromPool(data) : data;
}

/** Like `copyFromPool`, but also copies a slice of shared memory, which would keep the whole buffer alive. */
export function detachFromPool(data: Buffer): Buffer {
  return lending.has(data.buffer) ? copyBytes(data) : detachedCopy(data);
}
