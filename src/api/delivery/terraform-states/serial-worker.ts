/** Program of threads that read large states. Other modules import it only for its URL. */
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
  // Other values may be large, so only their type is reported.
  parentPort.postMessage(serial === undefined || typeof serial === 'number' ? serial : null);
}
