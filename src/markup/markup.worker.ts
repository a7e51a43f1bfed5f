/** Program of the rendering thread. Other modules import it for its URL only. */
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { MAX_HTML, type MarkupRequest } from './markup.request.ts';
import { renderInThisThread } from './render-in-this-thread.ts';

export const workerAddress = import.meta.url;
export const WORKER = 'stithy-markup';

interface Work {
  name: string;
  request: MarkupRequest;
}

/** Null if the HTML is too long, because short references can stand for long addresses. */
function rendered(request: MarkupRequest): string | null {
  try {
    const html = renderInThisThread(request);
    return html.length > MAX_HTML ? null : html;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

if (!isMainThread && parentPort !== null && (workerData as Work | null)?.name === WORKER) {
  parentPort.postMessage(rendered((workerData as Work).request));
}
