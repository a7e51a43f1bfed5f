import { BoundedCache } from '../core/cache/index.ts';
import { type MarkupRequest, tooLarge } from './markup.request.ts';

/** Maximum length of texts that are rendered in this thread. */
const SMALL = 2_000;
/** Maximum length of texts that are rendered at all. */
const MAX = 1024 * 1024;
const cache = new BoundedCache<string, string>('markup', (html, key) => 2 * (html.length + key.length) + 200);

/**
 * Renders a text as safe HTML; HTML in the text is escaped. Uses a separate thread for all but small texts.
 * @param key cache key, which covers everything that decides about the HTML except `issues`
 * @throws ApiError 422 if rendering takes too long or the result is too long; Busy
 */
export async function renderMarkup(key: string, request: MarkupRequest): Promise<string> {
  const whole = request.issues === undefined ? key : `${key} ${JSON.stringify(request.issues)}`;
  const known = cache.get(whole);
  if (known !== undefined) return known;
  if (request.text.length > MAX) throw tooLarge();
  const small = request.text.length <= SMALL;
  const html = small
    ? (await import('./render-in-this-thread.ts')).renderInThisThread(request)
    : await (await import('./render-in-thread.ts')).renderInThread(request);
  cache.set(whole, html);
  return html;
}
