import { releaseWhenIdle } from '../../core/idle-memory.ts';

/** Size of a buffer in bytes. */
const BYTES = 256 * 1024;
const MAX_SPARE = 8;
const spare: Buffer[] = [];
releaseWhenIdle(() => {
  spare.length = 0;
});

/** Copies a content, a large one into its own memory. */
export type CopyContent = (data: Buffer) => Buffer;

/**
 * Lends memory for one content while `work` runs. Fresh allocations would be garbage that takes long to collect.
 * @returns the result of `work`
 */
export async function withPooledMemory<T>(work: (copy: CopyContent) => Promise<T>): Promise<T> {
  const memory = spare.pop() ?? Buffer.allocUnsafeSlow(BYTES);
  try {
    return await work((data) => (data.length > BYTES ? Buffer.from(data) : memory.subarray(0, data.copy(memory))));
  } finally {
    if (spare.length < MAX_SPARE) spare.push(memory);
  }
}
