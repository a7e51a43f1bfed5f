import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What something took of this process. */
export interface Cost {
  /** Milliseconds of processor time, of all threads. */
  cpu: number;
  /** Bytes above what there was before. */
  bytes: number;
}

/** So many bytes of garbage are counted as used rather than collected, which takes 90 ms. */
const SLACK = 8 * 1024 * 1024;

let collect: (() => void) | undefined;
/** Bytes after the last collection. */
let live = Number.NEGATIVE_INFINITY;

function garbageCollection(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};
const memory = (): number => {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

/** Does something and says what it took, after a collection of what was there before, if it was much. */
export async function measured<T>(work: () => Promise<T>): Promise<{ result: T; cost: Cost }> {
  collect ??= garbageCollection();
  const used = memory();
  if (used < live || used > live + SLACK) {
    collect();
    live = memory();
  }
  const before = { cpu: cpuMs(), bytes: live };
  let peak = before.bytes;
  const sample = setInterval(() => {
    peak = Math.max(peak, memory());
  }, 1);
  try {
    const result = await work();
    const bytes = Math.max(peak, memory()) - before.bytes;
    return { result, cost: { cpu: cpuMs() - before.cpu, bytes } };
  } finally {
    clearInterval(sample);
  }
}

/** The largest of each cost. */
export const larger = (a: Cost, b: Cost): Cost => ({ cpu: Math.max(a.cpu, b.cpu), bytes: Math.max(a.bytes, b.bytes) });

export const costText = ({ cpu, bytes }: Cost): string =>
  `${Math.round(cpu)} ms of processor time and ${Math.round(bytes / 2 ** 20)} MB`;
