import type { FairSlots } from './fair-slots.ts';

/** Number of streams that always have room at once, whatever they cost. */
const MIN_STREAMS = 4;

/** The memory limit of all requests, and the part of it for streams. */
interface Budgets {
  readonly memory: FairSlots;
  readonly streams: FairSlots;
}

/**
 * Waits until a stream may use this many bytes.
 * @param caller whose share they count against
 * @returns a function that returns them; further calls have no effect
 * @throws ApiError 429, 503 if too many requests wait or the wait takes too long; the reason of the signal
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
