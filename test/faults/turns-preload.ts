/**
 * Loaded into a server before everything else (`--import`): notes how long its thread of requests is held at a time, in processor time,
 * so that what other programs of the machine take does not count. A line for each that is long, with when it ended and its milliseconds.
 */
import { appendFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const LOOK_MS = 2;
const LONG_MS = 20;
const file = process.env.FAULT_TURNS;

if (isMainThread && file !== undefined && process.argv.includes('serve')) {
  let last = process.threadCpuUsage();
  const look = () => {
    const now = process.threadCpuUsage();
    const took = (now.user - last.user + now.system - last.system) / 1_000;
    last = now;
    if (took >= LONG_MS) appendFileSync(file, `${Date.now()} ${Math.round(took)}\n`);
  };
  setInterval(look, LOOK_MS).unref();
}
