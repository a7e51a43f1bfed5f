import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from './core/logger.ts';
import type { SshServer } from './git-server/ssh/ssh-server.server.ts';
import type { HttpServer } from './http/http.server.ts';
import type { JobQueue } from './jobs/jobs.queue.ts';

/** The parts of a running server. */
interface Stopping {
  deps: { jobs: Pick<JobQueue, 'stop'> };
  server: HttpServer;
  ssh: Pick<SshServer, 'drain' | 'close'> | null;
  close(): Promise<void>;
}

/** Milliseconds for jobs that were told to end, and for closing the database, after all requests have ended. */
const CLOSING_MS = 7_000;

/**
 * Stops a server within a bounded time. Readiness turns false while the listener still answers; it closes after the
 * requests in flight have ended. Meanwhile running jobs end and no others are started. What is still running at the
 * deadline is cut off.
 * @param timeoutMs milliseconds for requests and jobs
 * @param hurry ends the wait immediately
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
  // Awaited below; it may be rejected before.
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
  if (!done)
    log.log('warn', 'background jobs that did not end in time were abandoned; they run again after the next start');
}

/** @returns whether the work was done before the deadline */
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
