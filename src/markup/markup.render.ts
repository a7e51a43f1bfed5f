import { createHash } from 'node:crypto';
import { BoundedCache } from '../core/cache/index.ts';
import { type MarkupRequest, tooLarge } from './markup.request.ts';
import type { Mention, MentionLinks } from './mentions.ts';
import type { Resolve } from './render-in-thread.ts';

/** Maximum length of texts that are rendered in this thread. */
const SMALL = 2_000;
/** Maximum length of texts that are rendered at all. */
const MAX = 1024 * 1024;

/** HTML, or of a text that names something, what that is: its HTML is then kept for each answer to that. */
type Known = { html: string } | { mentions: readonly Mention[] };
const sizeOf = (known: Known): number =>
  'html' in known
    ? 2 * known.html.length
    : known.mentions.reduce((size, { value, project }) => size + 2 * (value.length + (project?.length ?? 0)) + 150, 0);
const cache = new BoundedCache<string, Known>('markup', (known, key) => sizeOf(known) + 2 * key.length + 200);

/**
 * Renders a text as safe HTML. Uses a separate thread for all but small texts.
 * @param key cache key, which covers everything that decides about the HTML except `issues` and what names lead to
 * @param resolve asked what the names in the text lead to, if it has any and the request says `server`
 * @throws ApiError 422 if rendering takes too long or the result is too long; Busy
 */
export async function renderMarkup(key: string, request: MarkupRequest, resolve?: Resolve): Promise<string> {
  const whole = request.issues === undefined ? key : `${key} ${JSON.stringify(request.issues)}`;
  const known = cache.get(whole);
  if (known !== undefined && 'html' in known) return known.html;
  const links = known && (await resolve?.(known.mentions));
  const linked = links && cache.get(keyOf(whole, links));
  if (linked !== undefined && 'html' in linked) return linked.html;
  if (request.text.length > MAX) throw tooLarge();
  let keep = whole;
  const asked: Resolve = async (mentions) => {
    const found = links ?? (await resolve?.(mentions)) ?? {};
    cache.set(whole, { mentions });
    keep = keyOf(whole, found);
    return found;
  };
  const html =
    request.text.length <= SMALL
      ? await renderHere(request, asked)
      : await (await import('./render-in-thread.ts')).renderInThread(request, asked);
  cache.set(keep, { html });
  return html;
}

/** Covers what the names lead to, which depends on who reads the text, and when. */
const keyOf = (key: string, links: MentionLinks): string =>
  `${key} ${createHash('sha256').update(JSON.stringify(links)).digest('base64url')}`;

async function renderHere(request: MarkupRequest, resolve: Resolve): Promise<string> {
  const { readInThisThread } = await import('./render-in-this-thread.ts');
  try {
    const { mentions, render } = await readInThisThread(request);
    return await render(mentions.length === 0 ? {} : await resolve(mentions));
  } catch (error) {
    // Nested deeper than any stack.
    if (error instanceof RangeError) throw tooLarge();
    throw error;
  }
}
