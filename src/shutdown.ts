import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from './core/logger.ts';
import type { SshServer } from './git-server/ssh/ssh-server.server.ts';
import type { HttpServer } from './http/http.server.ts';
import type { JobQueue } from './jobs/jobs.queue.ts';

/** What is stopped: the server, its background work, and all that is open behind them. */
interface Stopping {
  deps: { jobs: Pick<JobQueue, 'stop'> };
  server: HttpServer;
  ssh: Pick<SshServer, 'drain' | 'close'> | null;
  close(): Promise<void>;
}

/** So long jobs that were told to end, and connections to the database, may take once requests have ended, in milliseconds. */
const CLOSING_MS = 7_000;

/**
 * Stops a server within a bounded time. Readiness turns false while the listener still answers; once the requests that were
 * under way have ended it closes, and the rest are finished. Beside it the jobs that run end, and no other is taken. What
 * is still under way when the time is over is cut off.
 * @param timeoutMs milliseconds that requests and jobs may take
 * @param hurry ends the wait at once
 */
export async function shutDown(
  { deps: { jobs }, server: { app, drain }, ssh, close }: Stopping,
  timeoutMs: number,
  log: Logger,
  hurry?: AbortSignal,
): Promise<void> {
  const deadline = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(hurry === undefined ? [] : [hurry])]);
  const jobsEnded = jobs.stop(deadline);
  const onTime = await before(deadline, Promise.all([drain(), ssh?.drain()]));
  ssh?.close();
  const closed = app.close();
  // Waited for below, where it may have failed by then.
  closed.catch(() => {});
  if (!onTime || !(await before(deadline, closed))) {
    log.log('warn', 'requests that did not end in time were cut off', { timeout_s: timeoutMs / 1_000 });
    app.server.closeAllConnections();
  }
  await before(deadline, jobsEnded);
  const closing = (async () => {
    await closed;
    await jobsEnded;
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
