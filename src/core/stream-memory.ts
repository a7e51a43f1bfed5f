import type { FairSlots } from './fair-slots.ts';

/** So many streams have room beside each other, whatever they cost. */
const MIN_STREAMS = 4;

/** Memory of all, and how much of it streams may take. */
interface Budgets {
  readonly memory: FairSlots;
  readonly streams: FairSlots;
}

/**
 * Waits until a stream may use so many bytes of memory beside others.
 * @param caller whose share they count against
 * @returns what gives them back; calling it again does nothing
 * @throws ApiError 429, 503 while too many wait, or when the wait takes too long; the reason of the signal
 */
export async function reserveStreamMemory(
  { memory, streams }: Budgets,
  caller: string,
  bytes: number,
  signal: AbortSignal | undefined,
): Promise<() => void> {
  const cost = Math.min(bytes, Math.ceil(streams.total / MIN_STREAMS));
  const leaveStreams = await streams.take(caller, { cost, signal });
  try {
    const leaveMemory = await memory.take(caller, { cost, signal });
    return () => {
      leaveMemory();
      leaveStreams();
    };
  } catch (error) {
    leaveStreams();
    throw error;
  }
}
