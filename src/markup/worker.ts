/** What a rendering thread runs. Everybody else imports it for its address alone. */
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { renderHere } from './here.ts';
import type { MarkupRequest } from './request.ts';

export const workerAddress = import.meta.url;
export const WORKER = 'stithy-markup';

interface Work {
  name: string;
  request: MarkupRequest;
}

if (!isMainThread && parentPort !== null && (workerData as Work | null)?.name === WORKER) {
  parentPort.postMessage(renderHere((workerData as Work).request));
}
