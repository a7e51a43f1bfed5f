import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from './core/logger.ts';
import type { HttpServer } from './http/server.ts';

/** So long background work and connections to the database may take to end once requests have, in milliseconds. */
const CLOSING_MS = 5_000;

/**
 * Stops a server within a bounded time. Readiness turns false while the listener still answers; once the requests that were
 * under way have ended it closes, and the rest are finished. What is still under way when the time is over is cut off.
 * @param timeoutMs milliseconds that requests may take
 * @param hurry ends the wait at once
 */
export async function shutDown(
  { server: { app, drain }, close }: { server: HttpServer; close(): Promise<void> },
  timeoutMs: number,
  log: Logger,
  hurry?: AbortSignal,
): Promise<void> {
  const deadline = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(hurry === undefined ? [] : [hurry])]);
  const onTime = await before(deadline, drain());
  const closed = app.close();
  if (!onTime || !(await before(deadline, closed))) {
    log.log('warn', 'requests that did not end in time were cut off', { timeout_s: timeoutMs / 1_000 });
    app.server.closeAllConnections();
  }
  const closing = (async () => {
    await closed;
    await close();
  })();
  const done = await Promise.race([closing.then(() => true), sleep(CLOSING_MS, false, { ref: false })]);
  if (!done) log.log('warn', 'background work that did not end in time was left; the next start takes it up again');
}

/** @returns whether the work was done when the deadline came */
async function before(deadline: AbortSignal, work: Promise<unknown>): Promise<boolean> {
  if (deadline.aborted) return false;
  let onAbort!: () => void;
  const late = new Promise<false>((resolve) => {
    onAbort = () => resolve(false);
    deadline.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    deadline.removeEventListener('abort', onAbort);
  }
}
