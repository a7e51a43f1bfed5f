import { Worker } from 'node:worker_threads';
import { ApiError } from '../core/errors.ts';
import { FairSlots } from '../core/fair-slots.ts';
import { currentScope } from '../core/request-scope.ts';
import { type MarkupRequest, tooMuch } from './request.ts';
import { WORKER, workerAddress } from './worker.ts';

/** Milliseconds that a text may be worked on, and how often that is looked at. */
const MOST_WORK = 2_000;
const LOOK_EVERY = 50;
const MEMORY = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };
const RETRY = { 'retry-after': '5' };

/** A thread takes some 40 ms to start: so few at once, and so few of one caller. */
const slots = new FairSlots({
  total: 4,
  perKey: 2,
  maxWaiting: 100,
  maxWaitingPerKey: 20,
  maxWaitMs: 30_000,
  refuse: (whose) =>
    whose === 'caller'
      ? new ApiError(429, 'Too many texts are being rendered for you. Try again later.', {}, RETRY)
      : new ApiError(503, '503 Service Unavailable - too many texts are being rendered', {}, RETRY),
});

/**
 * Renders in a thread of its own, which ends with the text.
 * @throws ApiError 422 for what takes too long, or becomes too long, 429, 503 when too many wait
 */
export async function renderApart(request: MarkupRequest, mostWork = MOST_WORK): Promise<string> {
  const { caller, signal } = currentScope();
  const release = await slots.take(caller, { signal });
  const worker = new Worker(new URL(workerAddress), {
    workerData: { name: WORKER, request },
    resourceLimits: MEMORY,
    name: WORKER,
    env: {},
    execArgv: [],
  });
  const result = Promise.withResolvers<string>();
  worker.on('message', (html: string | null) => (html === null ? result.reject(tooMuch()) : result.resolve(html)));
  worker.on('error', (error: NodeJS.ErrnoException) =>
    result.reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooMuch() : error),
  );
  worker.on('exit', () => result.reject(new Error('a rendering thread ended')));
  const watch = setInterval(() => {
    if (worker.performance.eventLoopUtilization().active > mostWork) result.reject(tooMuch());
  }, LOOK_EVERY);
  try {
    return await result.promise;
  } finally {
    clearInterval(watch);
    await worker.terminate();
    release();
  }
}
