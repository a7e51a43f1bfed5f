import { copyOf, inOwnMemory } from '../../core/own-memory.ts';

const lending = new WeakSet<ArrayBufferLike>();

/** Memory that is used again and again: what lies in it is to be used before the next wait, or made one's `own`. */
export function scratchOf(bytes: number): Buffer {
  const memory = Buffer.allocUnsafeSlow(bytes);
  lending.add(memory.buffer);
  return memory;
}

/** What lies in memory that is used again, in memory of its own; to be called before any wait. */
export function own(data: Buffer): Buffer {
  return lending.has(data.buffer) ? alone(data) : data;
}

/** The same, also where it lies in memory that others share, which would be kept with it. */
export function alone(data: Buffer): Buffer {
  return lending.has(data.buffer) ? copyOf(data) : inOwnMemory(data);
}
