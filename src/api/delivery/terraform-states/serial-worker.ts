/** What a thread runs that reads a large state. Everybody else imports it for its address alone. */
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { readSerial } from './serial.ts';

export const workerAddress = import.meta.url;
export const WORKER = 'stithy-terraform-state';

interface Work {
  name: string;
  bytes: Uint8Array;
}

if (!isMainThread && parentPort !== null && (workerData as Work | null)?.name === WORKER) {
  const serial = readSerial((workerData as Work).bytes);
  // What is no number is told without the rest of it, which may be large.
  parentPort.postMessage(serial === undefined || typeof serial === 'number' ? serial : null);
}
