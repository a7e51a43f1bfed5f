/**
 * Main program of the line counter process, which takes large counts off the server. All other modules import it only
 * for its address.
 */
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { loadGraph } from '../commit-graph.load.ts';
import { orderByFirstParents } from './first-parent-order.ts';
import type { Job, Slice } from './line-counter.messages.ts';
import { isThreadData, serveThread, THREAD, type ThreadData } from './line-counter.thread.ts';
import { newTally, REQUESTED, takeRows } from './tally.ts';

export const programAddress = import.meta.url;

const MEMORY = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4 };

async function run(): Promise<void> {
  // The parent may be killed in the middle of a slice.
  process.stdin.once('end', () => process.exit(0));
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  const job = JSON.parse((await lines.next()).value!) as Job;
  const data = await dataFor(job);
  const threads = Array.from(
    { length: job.threads },
    () => new Worker(new URL(import.meta.url), { workerData: data, resourceLimits: MEMORY }),
  );
  // A failing thread ends the process.
  await Promise.all(threads.map(answer));
  for await (const line of lines) {
    const { places } = JSON.parse(line) as Slice;
    const before = process.cpuUsage();
    for (const index of places) data.tally.states[index] = REQUESTED;
    data.next[0] = 0;
    const done = threads.map(answer);
    for (const thread of threads) thread.postMessage('count');
    await Promise.all(done);
    const { user, system } = process.cpuUsage(before);
    const rows = takeRows(data.tally, places, (user + system) / 1_000);
    await new Promise((resolve) => process.stdout.write(rows, resolve));
  }
}

const answer = (thread: Worker): Promise<void> => new Promise((resolve) => thread.once('message', () => resolve()));

/** @throws Error if the graph has a different chain of layers by now */
async function dataFor({ dir, sum }: Job): Promise<ThreadData> {
  const { graph } = await loadGraph(dir);
  const top = graph?.layers.findIndex((layer) => layer.sum.toString('hex') === sum) ?? -1;
  if (graph === null || top < 0) throw new Error('the commit-graph has changed');
  const layers = graph.layers.slice(0, top + 1);
  return {
    program: THREAD,
    dir,
    hashBytes: layers[0]!.hashBytes,
    layers: layers.map(({ below, count, pathIndexFile, sum }) => ({ below, count, sum, pathIndexFile })),
    order: orderByFirstParents(graph),
    tally: newTally(layers.at(-1)!.count),
    next: new Int32Array(new SharedArrayBuffer(4)),
  };
}

// A failure here ends the process.
if (!isMainThread && parentPort !== null && isThreadData(workerData)) void serveThread(parentPort, workerData);
else if (process.argv[1] === fileURLToPath(programAddress)) void run();
