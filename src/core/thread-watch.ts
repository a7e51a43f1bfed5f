import type { Worker } from 'node:worker_threads';

/** Limits of a thread in milliseconds. */
export interface ThreadLimits {
  /** Processor time; waiting does not count. */
  cpuMs: number;
  /** Interval of checks. */
  intervalMs: number;
}

/**
 * Time without an answer after which a thread counts as stalled: it gets no processor, or runs something
 * uninterruptible.
 */
const UNANSWERED_MS = 60_000;

/** Whether a thread failed to start for lack of system resources. */
export const failedToStart = (error: NodeJS.ErrnoException): boolean => error.code === 'ERR_WORKER_INIT_FAILED';

/** Processor time of a thread in milliseconds; null if it does not run. */
export async function cpuTimeOf(worker: Worker): Promise<number | null> {
  try {
    const { user, system } = await worker.cpuUsage();
    return (user + system) / 1_000;
  } catch {
    return null;
  }
}

/**
 * Watches the processor time of a thread from outside; it is measured even while the thread is busy.
 * @param onExceeded called when the limit is exceeded
 * @param onStalled called if the thread has not reported its time for a minute, which says nothing about its work
 * @returns a function that ends the watch
 */
export function watchThread(
  worker: Worker,
  { cpuMs, intervalMs }: ThreadLimits,
  { onExceeded, onStalled }: { onExceeded: () => void; onStalled: () => void },
): () => void {
  let before: number | null = null;
  let ended = false;
  // Counts checks rather than time: delays of this thread are not counted against the other.
  let unanswered = 0;
  const look = async () => {
    unanswered += 1;
    if (unanswered * intervalMs > UNANSWERED_MS) return onStalled();
    if (unanswered > 1) return;
    const now = await cpuTimeOf(worker);
    unanswered = 0;
    if (now === null || ended) return;
    before ??= now;
    if (now - before > cpuMs) onExceeded();
  };
  void look();
  const timer = setInterval(() => void look(), intervalMs);
  return () => {
    ended = true;
    clearInterval(timer);
  };
}
