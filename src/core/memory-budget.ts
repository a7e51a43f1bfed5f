import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { Busy } from './busy.ts';
import { FairSlots } from './fair-slots.ts';

const MiB = 1024 * 1024;
const MAX_WAITING = 2_000;
const MAX_WAITING_PER_CALLER = 200;
const MAX_WAIT_MS = 60_000;

const refuse = (whose: 'caller' | 'server'): Busy =>
  whose === 'caller'
    ? new Busy(429, 'You have too many large requests under way. Wait for some to end, then try again.', 2)
    : new Busy(503, '503 Service Unavailable - too many large requests at once', 2);

/**
 * Default memory limit: a quarter of the smallest of the machine's memory, the container's memory and the heap limit.
 */
export function defaultMemory(): number {
  const constrained = process.constrainedMemory();
  const available = Math.min(
    totalmem(),
    constrained > 0 ? constrained : Number.POSITIVE_INFINITY,
    getHeapStatistics().heap_size_limit,
  );
  return Math.min(Math.max(Math.floor(available / 4), 32 * MiB), 1024 * MiB);
}

/**
 * Limits the memory of large bodies and answers of all requests; one caller gets half of it. A request that needs more
 * than the limit runs alone.
 * @param bytes limit for all requests together
 */
export const memoryBudget = (bytes: number): FairSlots =>
  new FairSlots({
    total: bytes,
    perKey: Math.ceil(bytes / 2),
    maxWaiting: MAX_WAITING,
    maxWaitingPerKey: MAX_WAITING_PER_CALLER,
    maxWaitMs: MAX_WAIT_MS,
    refuse,
  });
