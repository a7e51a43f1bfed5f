import type { Range } from './changed-words.ts';

const PIECE = /<[^>]*>|&[^;]*;|[^<&]+/g;
const OPEN = '<mark class="diff-word">';
const CLOSE = '</mark>';

/**
 * Marks parts of a line that is HTML, such as a highlighted one. Marks end before each tag and begin again after it.
 * @param html of a text: tags, escaped characters, and others
 * @param ranges of the text, in order
 */
export function markRanges(html: string, ranges: readonly Range[]): string {
  if (ranges.length === 0) return html;
  let marked = '';
  let at = 0;
  let next = 0;
  const add = (text: string, length: number) => {
    const isIn = next < ranges.length && at >= ranges[next]![0];
    marked += isIn ? OPEN + text + CLOSE : text;
    at += length;
    if (next < ranges.length && at >= ranges[next]![1]) next += 1;
  };
  for (const [piece] of html.matchAll(PIECE)) {
    if (piece.startsWith('<')) marked += piece;
    else if (piece.startsWith('&')) add(piece, 1);
    else {
      for (let from = 0; from < piece.length; ) {
        const range = ranges[next];
        const end = range === undefined ? Number.POSITIVE_INFINITY : at < range[0] ? range[0] : range[1];
        const length = Math.min(piece.length - from, end - at);
        add(piece.slice(from, from + length), length);
        from += length;
      }
    }
  }
  return marked.replaceAll(CLOSE + OPEN, '');
}
