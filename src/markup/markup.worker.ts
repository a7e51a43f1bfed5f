/** Program of the rendering thread. Other modules import it for its URL only. */
import { once } from 'node:events';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { MAX_HTML, type MarkupRequest } from './markup.request.ts';
import type { Mention, MentionLinks } from './mentions.ts';
import { readInThisThread } from './render-in-this-thread.ts';

export const workerAddress = import.meta.url;
export const WORKER = 'stithy-markup';

interface Work {
  name: string;
  request: MarkupRequest;
}

/**
 * What the thread says: what the text names, once, if it names anything, whereupon it is told what that leads to; and
 * the HTML. Null if that is too long, because short references can stand for long addresses.
 */
export type WorkerMessage = { mentions: Mention[] } | { html: string | null };

async function rendered(request: MarkupRequest, port: NonNullable<typeof parentPort>): Promise<string | null> {
  try {
    const read = await readInThisThread(request);
    let links: MentionLinks = {};
    if (read.mentions.length > 0) {
      port.postMessage({ mentions: read.mentions } satisfies WorkerMessage);
      [links] = (await once(port, 'message')) as [MentionLinks];
    }
    const html = await read.render(links);
    return html.length > MAX_HTML ? null : html;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

if (!isMainThread && parentPort !== null && (workerData as Work | null)?.name === WORKER) {
  const port = parentPort;
  // The bundle has no waiting at the top of a program. An error ends the thread.
  void rendered((workerData as Work).request, port).then((html) => port.postMessage({ html } satisfies WorkerMessage));
}
