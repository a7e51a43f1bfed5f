import { releasedWhenIdle } from '../core/idle-memory.ts';

/** Bytes of one piece. */
const BYTES = 1024 * 1024;
const MAX_SPARE = 8;
const spare: Buffer[] = [];
releasedWhenIdle(() => {
  spare.length = 0;
});

/** Makes a copy of a content, a large one in memory of its own. */
export type Copy = (data: Buffer) => Buffer;

/**
 * Lends memory for one content until `work` has ended: what is allocated each time is garbage that takes long to collect.
 * @returns what `work` gives
 */
export async function withSpareMemory<T>(work: (copy: Copy) => Promise<T>): Promise<T> {
  const memory = spare.pop() ?? Buffer.allocUnsafeSlow(BYTES);
  try {
    return await work((data) => (data.length > BYTES ? Buffer.from(data) : memory.subarray(0, data.copy(memory))));
  } finally {
    if (spare.length < MAX_SPARE) spare.push(memory);
  }
}
