import type { Cursor } from './yaml.cursor.ts';
import { type Mark, syntaxError } from './yaml-error.ts';

const SINGLE: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  t: '\t',
  '\t': '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  e: '\x1b',
  ' ': ' ',
  '"': '"',
  '/': '/',
  '\\': '\\',
  N: '\x85',
  _: '\xa0',
  L: '\u2028',
  P: '\u2029',
};
const LENGTHS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };
const CONTEXT = 'while parsing a quoted scalar';

/** Null bytes are not possible in environments, file names and databases. */
const nullByte = (start: Mark) => syntaxError('null characters are not allowed', CONTEXT, start);

/** Reads an escape in double quotes. @param start start of the scalar, for errors */
export function readEscape(cursor: Cursor, start: Mark): string {
  const letter = cursor.text[cursor.at] ?? '';
  if (letter === '0') throw nullByte(start);
  if (Object.hasOwn(SINGLE, letter)) {
    cursor.at++;
    return SINGLE[letter]!;
  }
  const length = Object.hasOwn(LENGTHS, letter) ? LENGTHS[letter]! : 0;
  if (length === 0) throw syntaxError('found unknown escape character', CONTEXT, start);
  const digits = cursor.text.slice(cursor.at + 1, cursor.at + 1 + length);
  if (digits.length < length || !/^[0-9a-f]+$/i.test(digits))
    throw syntaxError('did not find expected hexdecimal number', CONTEXT, start);
  const code = Number.parseInt(digits, 16);
  if (code === 0) throw nullByte(start);
  if ((code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff)
    throw syntaxError('found invalid Unicode character escape code', CONTEXT, start);
  cursor.at += 1 + length;
  return String.fromCodePoint(code);
}
