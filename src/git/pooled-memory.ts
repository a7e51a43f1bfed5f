import { releaseWhenIdle } from '../core/idle-memory.ts';

/** Bytes of one piece. */
const BYTES = 256 * 1024;
const MAX_SPARE = 8;
const spare: Buffer[] = [];
releaseWhenIdle(() => {
  spare.length = 0;
});

/** Makes a copy of a content, a large one in memory of its own. */
export type CopyContent = (data: Buffer) => Buffer;

/**
 * Lends memory for one content until `work` has ended: what is allocated each time is garbage that takes long to collect.
 * @returns what `work` gives
 */
export async function withPooledMemory<T>(work: (copy: CopyContent) => Promise<T>): Promise<T> {
  const memory = spare.pop() ?? Buffer.allocUnsafeSlow(BYTES);
  try {
    return await work((data) => (data.length > BYTES ? Buffer.from(data) : memory.subarray(0, data.copy(memory))));
  } finally {
    if (spare.length < MAX_SPARE) spare.push(memory);
  }
}
