import { isBlank, isBreakOrEnd, isSpaceOrEnd, isWord } from './characters.ts';
import type { Cursor } from './yaml.cursor.ts';
import { syntaxError } from './yaml-error.ts';

const IN_TAG = /^[A-Za-z0-9_\-;/?:@&=+$.!~*'()%]$/;
const IN_VERBATIM_TAG = /^[A-Za-z0-9_\-;/?:@&=+$.!~*'()%,[\]]$/;

/** Reads a tag from its `!`. @returns the tag as written; `!<...>` without brackets */
export function scanTag(cursor: Cursor, inFlow: boolean): string {
  const start = cursor.mark();
  const verbatim = cursor.peek(1) === 60;
  const pattern = verbatim ? IN_VERBATIM_TAG : IN_TAG;
  const from = verbatim ? cursor.at + 2 : cursor.at;
  cursor.at = from;
  while (pattern.test(cursor.text[cursor.at] ?? '')) cursor.at++;
  const tag = cursor.text.slice(from, cursor.at);
  if (verbatim) {
    if (tag === '') throw syntaxError('did not find expected tag URI', 'while parsing a tag', start);
    if (cursor.peek() !== 62) throw syntaxError("did not find the expected '>'", 'while scanning a tag', start);
    cursor.at++;
  }
  if (!isSpaceOrEnd(cursor.peek()) && !(inFlow && cursor.peek() === 44))
    throw syntaxError('did not find expected whitespace or line break', 'while scanning a tag', start);
  return tag;
}

/** Reads `%YAML 1.1` or `%TAG ! prefix` from its `%`. @returns the whole directive */
export function scanDirective(cursor: Cursor): string {
  const start = cursor.mark();
  const from = ++cursor.at;
  const fail = (problem: string) => syntaxError(problem, 'while scanning a directive', start);
  while (isWord(cursor.peek())) cursor.at++;
  const name = cursor.text.slice(from, cursor.at);
  if (name === '') throw fail('could not find expected directive name');
  if (!isSpaceOrEnd(cursor.peek())) throw fail('found unexpected non-alphabetical character');
  if (name !== 'YAML' && name !== 'TAG') throw fail('found unknown directive name');
  while (isBlank(cursor.peek())) cursor.at++;
  while (!isBreakOrEnd(cursor.peek()) && cursor.peek() !== 35) cursor.at++;
  const value = cursor.text.slice(from, cursor.at).trimEnd();
  cursor.skipToBreak();
  return value;
}
