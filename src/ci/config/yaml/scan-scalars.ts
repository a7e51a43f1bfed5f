import { isBlank, isBreak, isBreakOrEnd, isFlowIndicator, isSpaceOrEnd, SPACE, TAB } from './characters.ts';
import { readEscape } from './escapes.ts';
import type { Cursor } from './yaml.cursor.ts';
import { syntaxError } from './yaml-error.ts';

/** Joins folded lines: one break becomes a space, further ones are kept. */
const folded = (first: string, others: string): string =>
  first === '\n' ? (others === '' ? ' ' : others) : first + others;

/** White space in a scalar that may span lines. */
interface Gap {
  text: string;
  broken: boolean;
}

const NO_GAP: Gap = { text: '', broken: false };

/** @param onBlank called at each blank after a line break */
function takeGap(cursor: Cursor, broken: boolean, onBlank?: () => void): Gap {
  let blanks = '';
  let first = '';
  let others = '';
  let isBroken = broken;
  for (let code = cursor.peek(); isBlank(code) || isBreak(code); code = cursor.peek()) {
    if (isBlank(code)) {
      if (isBroken) onBlank?.();
      else blanks += String.fromCharCode(code);
      cursor.at++;
    } else if (!isBroken) {
      blanks = '';
      first = cursor.takeBreak();
      isBroken = true;
    } else others += cursor.takeBreak();
  }
  return { text: isBroken ? (first === '' ? others : folded(first, others)) : blanks, broken: isBroken };
}

/** Reads a quoted scalar from its opening quote. */
export function scanQuoted(cursor: Cursor, quote: number): string {
  const start = cursor.mark();
  const single = quote === 39;
  const parts: string[] = [];
  cursor.at++;
  for (;;) {
    if (cursor.atDocumentIndicator())
      throw syntaxError('found unexpected document indicator', 'while scanning a quoted scalar', start);
    if (cursor.peek() === 0)
      throw syntaxError('found unexpected end of stream', 'while scanning a quoted scalar', start);
    let broken = false;
    let from = cursor.at;
    for (let code = cursor.peek(); !isSpaceOrEnd(code); code = cursor.peek()) {
      if (single && code === quote && cursor.peek(1) === quote) {
        parts.push(cursor.text.slice(from, cursor.at + 1));
        cursor.at += 2;
        from = cursor.at;
      } else if (code === quote) break;
      else if (!single && code === 92) {
        parts.push(cursor.text.slice(from, cursor.at));
        cursor.at++;
        if (isBreak(cursor.peek())) {
          cursor.takeBreak();
          broken = true;
          from = cursor.at;
          break;
        }
        parts.push(readEscape(cursor, start));
        from = cursor.at;
      } else cursor.at++;
    }
    parts.push(cursor.text.slice(from, cursor.at));
    if (cursor.peek() === quote) {
      cursor.at++;
      return parts.join('');
    }
    parts.push(takeGap(cursor, broken).text);
  }
}

/** @returns the scalar, and whether it ended at the end of a line, where a key may begin */
export function scanPlain(cursor: Cursor, indent: number, inFlow: boolean): { value: string; broken: boolean } {
  const start = cursor.mark();
  let value = '';
  let gap = NO_GAP;
  const onBlank = () => {
    if (cursor.peek() === TAB && cursor.column < indent + 1)
      throw syntaxError('found a tab character that violates indentation', 'while scanning a plain scalar', start);
  };
  while (!cursor.atDocumentIndicator() && cursor.peek() !== 35) {
    const from = cursor.at;
    let code = cursor.peek();
    for (; !isSpaceOrEnd(code); code = cursor.peek()) {
      if (code === 58) {
        const next = cursor.peek(1);
        if (inFlow && (isFlowIndicator(next) || next === 63))
          throw syntaxError("found unexpected ':'", 'while scanning a plain scalar', start);
        if (isSpaceOrEnd(next)) break;
      } else if (inFlow && isFlowIndicator(code)) break;
      cursor.at++;
    }
    if (cursor.at > from) {
      value += gap.text + cursor.text.slice(from, cursor.at);
      gap = NO_GAP;
    }
    if (!isBlank(code) && !isBreak(code)) break;
    gap = takeGap(cursor, false, onBlank);
    if (!inFlow && cursor.column < indent + 1) break;
  }
  return { value, broken: gap.broken };
}

/** Reads a block scalar from its `|` or `>`. @param outer indentation of the parent, -1 for none */
export function scanBlock(cursor: Cursor, outer: number): string {
  const start = cursor.mark();
  const fail = (problem: string) => syntaxError(problem, 'while scanning a block scalar', start);
  const literal = cursor.peek() === 124;
  cursor.at++;
  let chomping = 0;
  let indent = 0;
  for (let seen = 0; seen < 2; seen++) {
    const code = cursor.peek();
    if ((code === 43 || code === 45) && chomping === 0) chomping = code === 43 ? 1 : -1;
    else if (code >= 48 && code <= 57 && indent === 0) {
      if (code === 48) throw fail('found an indentation indicator equal to 0');
      indent = Math.max(outer, 0) + code - 48;
    } else break;
    cursor.at++;
  }
  while (isBlank(cursor.peek())) cursor.at++;
  if (cursor.peek() === 35) cursor.skipToBreak();
  if (!isBreakOrEnd(cursor.peek())) throw fail('did not find expected comment or line break');
  if (cursor.peek() !== 0) cursor.takeBreak();

  const takeBreaks = (): string => {
    let breaks = '';
    let widest = 0;
    for (;;) {
      while ((indent === 0 || cursor.column < indent) && cursor.peek() === SPACE) cursor.at++;
      widest = Math.max(widest, cursor.column);
      if ((indent === 0 || cursor.column < indent) && cursor.peek() === TAB)
        throw fail('found a tab character where an indentation space is expected');
      if (!isBreak(cursor.peek())) break;
      breaks += cursor.takeBreak();
    }
    if (indent === 0) indent = Math.max(widest, outer + 1, 1);
    return breaks;
  };
  const parts: string[] = [];
  let last = '';
  let blankBefore = false;
  let breaks = takeBreaks();
  while (cursor.peek() !== 0 && cursor.column === indent) {
    const blank = isBlank(cursor.peek());
    if (!literal && last === '\n' && !blankBefore && !blank) parts.push(breaks === '' ? ' ' : breaks);
    else parts.push(last, breaks);
    blankBefore = blank;
    const from = cursor.at;
    cursor.skipToBreak();
    parts.push(cursor.text.slice(from, cursor.at));
    last = cursor.peek() === 0 ? '' : cursor.takeBreak();
    breaks = takeBreaks();
  }
  if (chomping !== -1) parts.push(last);
  if (chomping === 1) parts.push(breaks);
  return parts.join('');
}
