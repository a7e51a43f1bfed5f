import type { Worker } from 'node:worker_threads';

/** What a thread may take, in milliseconds. */
export interface ThreadLimits {
  /** Of a processor: time in which others had it is not counted, nor is waiting. */
  cpuMs: number;
  /** How often that is looked at. */
  intervalMs: number;
}

/** So long a thread may leave a look unanswered: it gets no processor, or does one thing that cannot be interrupted. */
const UNANSWERED_MS = 60_000;

/** Whether the error of a thread says that the system had nothing to start it with. */
export const failedToStart = (error: NodeJS.ErrnoException): boolean => error.code === 'ERR_WORKER_INIT_FAILED';

/** Milliseconds of a processor that a thread has taken; null where it does not run. */
export async function cpuTimeOf(worker: Worker): Promise<number | null> {
  try {
    const { user, system } = await worker.cpuUsage();
    return (user + system) / 1_000;
  } catch {
    return null;
  }
}

/**
 * Watches what a thread takes of a processor from now on. It is asked from outside, and answers in the middle of whatever it runs.
 * @param onExceeded called once it has taken more
 * @param onStalled called where it has not said for a minute what it takes, which tells nothing about its work
 * @returns what ends the watch
 */
export function watchThread(
  worker: Worker,
  { cpuMs, intervalMs }: ThreadLimits,
  { onExceeded, onStalled }: { onExceeded: () => void; onStalled: () => void },
): () => void {
  let before: number | null = null;
  let ended = false;
  // Of looks, not of a clock: what this thread missed itself is not held against the other.
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
