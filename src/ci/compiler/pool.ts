import { Busy } from '../../core/busy.ts';
import { FairSlots } from '../../core/fair-slots.ts';
import { currentScope } from '../../core/request-scope.ts';
import type { Compiled, CompileRequest } from '../compile-request.ts';
import { CompileHost } from './host.ts';

/**
 * Limits of concurrent compilations, in total and per caller, so that slow included servers only delay their own
 * callers.
 */
const slots = new FairSlots({
  total: 8,
  perKey: 3,
  maxWaiting: 200,
  maxWaitingPerKey: 50,
  maxWaitMs: 30_000,
  refuse: (whose) =>
    whose === 'caller'
      ? new Busy(429, 'Too many CI/CD configurations are being compiled for you. Try again later.', 5)
      : new Busy(503, '503 Service Unavailable - too many CI/CD configurations are being compiled', 5),
});

/** A thread takes some 15 MB, and 30 ms to start, so it is kept for a while. */
const IDLE_MS = 30_000;
/** The most recently used thread is used next. */
const idle: { host: CompileHost; since: number }[] = [];
let sweep: NodeJS.Timeout | undefined;

/** Compiles in a separate thread. @throws Busy; errors of the sources */
export async function compileInThread(request: CompileRequest): Promise<Compiled> {
  const { caller, signal } = currentScope();
  const release = await slots.take(caller, { signal });
  let host: CompileHost | undefined;
  try {
    host = take();
    const compiled = await host.compile(request);
    if (host.isFree) keep(host);
    else host.stop();
    return compiled;
  } catch (error) {
    // It may still be running.
    host?.stop();
    throw error;
  } finally {
    release();
  }
}

function take(): CompileHost {
  for (let next = idle.pop(); next !== undefined; next = idle.pop()) if (next.host.isFree) return next.host;
  return new CompileHost();
}

function keep(host: CompileHost): void {
  idle.push({ host, since: Date.now() });
  sweep ??= setInterval(evictIdle, IDLE_MS / 2).unref();
}

function evictIdle(): void {
  const before = Date.now() - IDLE_MS;
  while (idle.length > 0 && (idle[0]!.since < before || !idle[0]!.host.isFree)) idle.shift()!.host.stop();
  if (idle.length > 0) return;
  clearInterval(sweep);
  sweep = undefined;
}
