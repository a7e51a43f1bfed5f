import { BoundedCache } from '../core/bounded-cache.ts';
import { type MarkupRequest, tooLarge } from './markup.request.ts';

/** Characters of a text that is rendered at once, in this thread. */
const SMALL = 2_000;
/** And of one that is rendered at all. */
const MAX = 1024 * 1024;
const kept = new BoundedCache<string, string>(16 * 1024 * 1024, (html, key) => 2 * (html.length + key.length) + 200, {
  maxEntryBytes: 4 * 1024 * 1024,
});

/**
 * Turns a text into HTML that is harmless wherever it is shown: HTML in it is shown as text. Takes a thread of its own for
 * all but small texts.
 * @param key of the text with all but `issues` that decides about its HTML, under which that is kept
 * @throws ApiError 422 for what takes too long, or becomes too long; Busy
 */
export async function renderMarkup(key: string, request: MarkupRequest): Promise<string> {
  const whole = request.issues === undefined ? key : `${key} ${JSON.stringify(request.issues)}`;
  const known = kept.get(whole);
  if (known !== undefined) return known;
  if (request.text.length > MAX) throw tooLarge();
  const small = request.text.length <= SMALL;
  const html = small
    ? (await import('./render-in-this-thread.ts')).renderInThisThread(request)
    : await (await import('./render-in-thread.ts')).renderInThread(request);
  kept.set(whole, html);
  return html;
}
