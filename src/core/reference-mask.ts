/** Replaces masked characters: not a letter, space, or part of a reference. */
const FILLER = '\0';

interface Run {
  start: number;
  length: number;
  /** Index of the next run of the same length; -1 if there is none. */
  next: number;
}

const FENCE = /^[ \t>]*(?:[-*+][ \t]+|\d{1,9}[.)][ \t]+)?(`{3,}|~{3,})([^\n]*)$/;

/**
 * Masks everything in Markdown that is not prose: fenced blocks, code spans, comments. Positions are unchanged. Linear
 * time for any text.
 */
export function maskCode(text: string): string {
  return maskComments(maskSpans(maskFences(text)));
}

/** Masks ranges of a text, which must be ordered and must not overlap. */
export function blankOut(text: string, ranges: readonly (readonly [start: number, end: number])[]): string {
  if (ranges.length === 0) return text;
  const parts: string[] = [];
  let at = 0;
  for (const [start, end] of ranges) {
    parts.push(text.slice(at, start), FILLER.repeat(end - start));
    at = end;
  }
  parts.push(text.slice(at));
  return parts.join('');
}

function maskFences(text: string): string {
  const ranges: [number, number][] = [];
  let open: { mark: string; start: number } | null = null;
  let start = 0;
  while (start < text.length) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    const fence = fenceOf(text.slice(start, end));
    if (open === null) {
      if (fence !== null && !(fence.mark.startsWith('`') && fence.rest.includes('`')))
        open = { mark: fence.mark, start };
    } else if (fence !== null && fence.rest.trim() === '' && fence.mark.startsWith(open.mark)) {
      ranges.push([open.start, end]);
      open = null;
    }
    start = end + 1;
  }
  if (open !== null) ranges.push([open.start, text.length]);
  return blankOut(text, ranges);
}

/** Fences start at the beginning of their line, so only its first marks are checked for the prefix. */
function fenceOf(line: string): { mark: string; rest: string } | null {
  if (!line.includes('```') && !line.includes('~~~')) return null;
  const match = FENCE.exec(line);
  return match === null ? null : { mark: match[1]!, rest: match[2]! };
}

function maskSpans(text: string): string {
  const runs = backtickRuns(text);
  const ranges: [number, number][] = [];
  let index = 0;
  while (index < runs.length) {
    const { start, length, next } = runs[index]!;
    if (next === -1) {
      index += 1;
      continue;
    }
    const close = runs[next]!;
    ranges.push([start, close.start + length]);
    index = next + 1;
  }
  return blankOut(text, ranges);
}

/** Runs of backticks, each with the run that could close it: of the same length, in the same paragraph. */
function backtickRuns(text: string): Run[] {
  const runs: Run[] = [];
  const paragraphs: number[] = [];
  let paragraph = 0;
  for (const match of text.matchAll(/`+|\n[ \t]*(?=\n)/g)) {
    if (!match[0].startsWith('`')) {
      paragraph += 1;
      continue;
    }
    runs.push({ start: match.index, length: match[0].length, next: -1 });
    paragraphs.push(paragraph);
  }
  const later = new Map<number, number>();
  for (let index = runs.length - 1; index >= 0; index -= 1) {
    const run = runs[index]!;
    const next = later.get(run.length);
    if (next !== undefined && paragraphs[next] === paragraphs[index]) run.next = next;
    later.set(run.length, index);
  }
  return runs;
}

function maskComments(text: string): string {
  const ranges: [number, number][] = [];
  let at = text.indexOf('<!--');
  while (at !== -1) {
    const close = text.indexOf('-->', at + 4);
    const end = close === -1 ? text.length : close + 3;
    ranges.push([at, end]);
    at = text.indexOf('<!--', end);
  }
  return blankOut(text, ranges);
}
