/** Logs of jobs as HTML, and what is to be seen of them. */
import assert from 'node:assert/strict';
import { logAfter, renderLog } from '../../src/web/job-log/index.ts';

const bytesOf = (log: string | Uint8Array) => (typeof log === 'string' ? Buffer.from(log) : log);

/** The whole of a log, in one part. */
export function whole(log: string | Uint8Array): string {
  const { html, state } = renderLog(bytesOf(log));
  return html + logAfter(state);
}

const unescapeHtml = (html: string) =>
  html
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');

/** Texts of all lines, the header of a section as `> `, its end as `<`. */
export function textsOf(html: string): string[] {
  const parts = html.matchAll(/<span class="log-text">(.*?)<\/span><\/(div|summary)>|<\/details>/gs);
  return [...parts].map(([, text, tag]) =>
    tag === undefined
      ? '<'
      : `${tag === 'summary' ? '> ' : ''}${unescapeHtml((text ?? '').replaceAll(/<[^>]*>/g, ''))}`,
  );
}

/** That tags are those of logs, and end in order. */
export function checkTags(html: string): void {
  const open: string[] = [];
  for (const [tag, end, name = ''] of html.matchAll(/<(\/?)([a-z]+)[^>]*>/g)) {
    if (end === '/') assert.equal(open.pop(), name);
    else {
      open.push(name);
      assert.match(
        tag,
        /^<(?:div class="log-(?:section|line(?: log-error)?)"(?: id="L\d+")?|details(?: open)?|summary class="log-line"|a class="log-number" href="#L\d+"|a href="https?:[^"<>]*" rel="nofollow noopener"|time class="log-time" datetime="[-0-9T:.Z]+"|span class="[-a-z0-9 ]+")>$/,
      );
    }
  }
  assert.deepEqual(open, []);
  assert.doesNotMatch(html, /[\x00-\x08\x0b-\x1f\x7f]/);
}

/** Markers of sections. */
export const startSection = (name: string, time = 100, options = '') =>
  `section_start:${time}:${name}${options}\r\x1b[0K`;
export const endSection = (name: string, time = 200) => `section_end:${time}:${name}\r\x1b[0K`;
