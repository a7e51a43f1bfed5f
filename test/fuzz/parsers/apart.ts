import { Worker } from 'node:worker_threads';

/** What a thread is told to do. */
export interface Order {
  name: string;
  cases: number;
  seed: number;
  /** The one case that is done, where only that is. */
  only: number | undefined;
  /** The number of the case under way, counted from 1. */
  under: Int32Array<SharedArrayBuffer>;
}

/** What a thread tells. */
export type Report =
  | { kind: 'failure'; what: string; error: string }
  | { kind: 'progress'; done: number }
  | { kind: 'done'; cases: number; slowest: Outcome['slowest'] };

export interface Outcome {
  /** How many were done. */
  cases: number;
  /** What took most, in milliseconds of processor time. */
  slowest: { what: string; ms: number };
  failures: { what: string; error: string }[];
}

const LOOK_MS = 1_000;
/** One case that takes so much processor time, or that waits for so long, never ends. */
const HANGS_CPU_MS = 60_000;
const HANGS_LOOKS = 300;
const MAX_HEAP_MB = 768;

/**
 * Runs a fuzzer in a thread of its own, which is ended where a case never ends, takes all memory or leaves a rejection
 * that nobody handles: these are failures as any other.
 */
export function fuzzApart(
  order: Omit<Order, 'under' | 'only'> & { only?: number | undefined },
  progress: (done: number) => void = () => {},
): Promise<Outcome> {
  const under = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    workerData: { only: undefined, ...order, under } satisfies Order,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  });
  const outcome: Outcome = { cases: 0, slowest: { what: 'none', ms: 0 }, failures: [] };
  let done = false;
  const failed = (error: string) =>
    outcome.failures.push({ what: `case ${Atomics.load(under, 0) - 1} of seed ${order.seed}`, error });
  let [last, since, looks] = [0, process.cpuUsage(), 0];
  const watch = setInterval(() => {
    const now = Atomics.load(under, 0);
    if (now !== last) [last, since, looks] = [now, process.cpuUsage(), 0];
    looks += 1;
    const { user, system } = process.cpuUsage(since);
    if ((user + system) / 1_000 < HANGS_CPU_MS && looks < HANGS_LOOKS) return;
    failed('it does not end');
    clearInterval(watch);
    void worker.terminate();
  }, LOOK_MS);
  return new Promise((resolve) => {
    worker.on('message', (report: Report) => {
      if (report.kind === 'failure') outcome.failures.push({ what: report.what, error: report.error });
      else if (report.kind === 'progress') progress(report.done);
      else [outcome.cases, outcome.slowest, done] = [report.cases, report.slowest, true];
    });
    worker.on('error', (error) => failed((error as Error).stack ?? String(error)));
    worker.on('exit', () => {
      clearInterval(watch);
      if (!done && outcome.failures.length === 0) failed('the thread ended before its work');
      resolve(outcome);
    });
  });
}
