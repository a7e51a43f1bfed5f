import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';
import { Random } from '../../crash/random.ts';
import type { Order, Report } from './apart.ts';
import { corpusOf } from './fuzzer.ts';
import { FUZZERS } from './fuzzers.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const MIB = 1024 * 1024;
/** Cases after which memory is looked at, and what it may have grown by since the first look. */
const LOOK_EVERY = 5_000;
const MAX_GROWTH = 64 * MIB;
const MAX_FAILURES = 20;
const GOLDEN = 0x9e37_79b9;

const { name, cases, seed, only, under } = workerData as Order;
const fuzzer = await FUZZERS[name]!();
const report = (message: Report) => parentPort!.postMessage(message);
let failures = 0;
let slowest = { what: 'none', ms: 0 };

/** Does one thing and reports what went wrong with it. */
async function attempt(what: string, work: () => Promise<void> | void): Promise<void> {
  const before = process.threadCpuUsage();
  try {
    await work();
    const { user, system } = process.threadCpuUsage(before);
    const took = (user + system) / 1_000;
    if (took > slowest.ms) slowest = { what, ms: took };
    if (took > fuzzer.caseMs) throw new Error(`it took ${Math.round(took)} ms of the processor`);
  } catch (error) {
    failures += 1;
    report({ kind: 'failure', what, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
}

const usedMemory = (): number => {
  collect();
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return heapUsed + external + arrayBuffers;
};

const corpus = corpusOf(name);
const subject = await fuzzer.open(corpus);
for (const each of only === undefined ? corpus : []) await attempt(`input ${each.file}`, () => subject.replay(each));
const [first, end] = only === undefined ? [0, cases] : [only, only + 1];
let memory: number | undefined;
for (let n = first; n < end && failures < MAX_FAILURES; n += 1) {
  // Each case has numbers of its own, so that it can be repeated alone.
  const random = new Random((seed ^ Math.imul(n + 1, GOLDEN)) >>> 0);
  Atomics.store(under, 0, n + 1);
  await attempt(`case ${n} of seed ${seed}`, () => subject.one(random));
  if ((n + 1) % LOOK_EVERY !== 0) continue;
  const used = usedMemory();
  memory ??= used;
  if (used - memory > MAX_GROWTH) {
    report({ kind: 'failure', what: `case ${n}`, error: `memory grew by ${Math.round((used - memory) / MIB)} MiB` });
    break;
  }
  report({ kind: 'progress', done: n + 1 });
}
await subject.close?.();
report({ kind: 'done', cases: end - first, slowest });
