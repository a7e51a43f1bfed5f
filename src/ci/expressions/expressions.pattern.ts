import { LRUCache } from 'lru-cache';
import { RE2JS, RE2JSException } from 're2js';
import { patternSize } from '../../core/pattern-size.ts';

/** A pattern that a user wrote. Matching takes time linear in the text. */
export interface Pattern {
  /** How it is written, with its flags. */
  readonly text: string;
  /** Whether it fits some part of the text; false where finding out would take too long. */
  test(text: string): boolean;
}

/** Instructions of a pattern, and steps of one match: about a tenth of a second. */
const MAX_PROGRAM = 20_000;
const MAX_STEPS = 20_000_000;

const compiled = new LRUCache<string, Pattern>({
  max: 500,
  maxSize: 200_000,
  sizeCalculation: (_, text) => patternSize(text),
});

/**
 * Compiles a pattern in the syntax of RE2.
 * @param source without the slashes around it; @param flags letters out of `ismU`
 * @returns null where it is none, or one that would be too large
 */
export function compilePattern(source: string, flags: string): Pattern | null {
  const text = `/${source}/${flags}`;
  const known = compiled.get(text);
  if (known !== undefined) return known;
  const size = patternSize(source);
  if (size > MAX_PROGRAM) return null;
  try {
    const program = RE2JS.compile(flags === '' ? source : `(?${flags})${source}`);
    const pattern = { text, test: (value: string) => value.length * size <= MAX_STEPS && program.test(value) };
    compiled.set(text, pattern);
    return pattern;
  } catch (error) {
    if (error instanceof RE2JSException) return null;
    throw error;
  }
}

const WRITTEN = /^\/(.+)\/([ismU]*)$/;

/** A pattern as it is written, `/source/flags`; null where the text is no pattern, or a broken one. */
export function readPattern(text: string): Pattern | null {
  const match = WRITTEN.exec(text);
  return match === null ? null : compilePattern(match[1]!, match[2]!);
}

/** Whether a text is written as a pattern, broken or not. */
export const isPattern = (text: string): boolean => WRITTEN.test(text);
