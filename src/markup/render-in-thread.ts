import { Worker } from 'node:worker_threads';
import { Busy } from '../core/busy.ts';
import { FairSlots } from '../core/fair-slots.ts';
import { currentScope } from '../core/request-scope.ts';
import { failedToStart, watchThread } from '../core/thread-watch.ts';
import { type MarkupRequest, tooLarge } from './markup.request.ts';
import { WORKER, type WorkerMessage, workerAddress } from './markup.worker.ts';
import type { Mention, MentionLinks } from './mentions.ts';

/** Finds out what the names in a text lead to. */
export type Resolve = (mentions: readonly Mention[]) => Promise<MentionLinks>;

/**
 * Processor time in milliseconds that a text may take, including the start of its thread, and the interval of checks.
 */
const LIMITS = { cpuMs: 5_000, intervalMs: 50 };
const MEMORY = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };

/** A thread takes some 40 ms to start, so their number is limited, in total and by caller. */
const slots = new FairSlots({
  total: 4,
  perKey: 2,
  maxWaiting: 100,
  maxWaitingPerKey: 20,
  maxWaitMs: 30_000,
  refuse: (whose) =>
    whose === 'caller'
      ? new Busy(429, 'Too many texts are being rendered for you. Try again later.', 5)
      : new Busy(503, '503 Service Unavailable - too many texts are being rendered', 5),
});

const noTime = () => new Busy(503, '503 Service Unavailable - the server is too busy to render the text', 5);

/**
 * Renders in a separate thread, which ends afterwards.
 * @param resolve asked once, if the text names anything
 * @throws ApiError 422 if rendering takes too long or the result is too long; Busy if too many texts wait or the server
 *   is overloaded
 */
export async function renderInThread(request: MarkupRequest, resolve?: Resolve, limits = LIMITS): Promise<string> {
  const { caller, signal } = currentScope();
  const release = await slots.take(caller, { signal });
  try {
    return await renderInWorker(request, resolve, limits);
  } finally {
    release();
  }
}

async function renderInWorker(
  request: MarkupRequest,
  resolve: Resolve | undefined,
  limits: typeof LIMITS,
): Promise<string> {
  const worker = new Worker(new URL(workerAddress), {
    workerData: { name: WORKER, request },
    resourceLimits: MEMORY,
    name: WORKER,
    env: {},
    execArgv: [],
  });
  const result = Promise.withResolvers<string>();
  const answer = async (mentions: readonly Mention[]) => worker.postMessage((await resolve?.(mentions)) ?? {});
  worker.on('message', (message: WorkerMessage) => {
    if ('mentions' in message) void answer(message.mentions).catch(result.reject);
    else if (message.html === null) result.reject(tooLarge());
    else result.resolve(message.html);
  });
  worker.on('error', (error: NodeJS.ErrnoException) =>
    result.reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooLarge() : failedToStart(error) ? noTime() : error),
  );
  worker.on('exit', () => result.reject(new Error('a rendering thread exited')));
  const unwatch = watchThread(worker, limits, {
    onExceeded: () => result.reject(tooLarge()),
    onStalled: () => result.reject(noTime()),
  });
  try {
    return await result.promise;
  } finally {
    unwatch();
    await worker.terminate();
  }
}
