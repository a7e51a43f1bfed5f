import { RE2JS, RE2JSException } from 're2js';
import { EntryCache } from '../../core/cache/index.ts';
import { patternSize } from '../../core/pattern-size.ts';

/** A pattern written by a user. Matching takes linear time. */
export interface Pattern {
  /** The pattern as written, with its flags. */
  readonly text: string;
  /** Whether it matches a part of the text; false if matching would take too long. */
  test(text: string): boolean;
}

/** Limits of instructions and steps: about a tenth of a second. */
const MAX_PROGRAM = 20_000;
const MAX_STEPS = 20_000_000;

const compiled = new EntryCache<string, Pattern>('ci_patterns', {
  sizeCalculation: (_, text) => patternSize(text),
});

/**
 * Compiles an RE2 pattern.
 * @param source pattern without slashes; @param flags letters of `ismU`
 * @returns null if it is invalid or too large
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

/** Compiles a pattern written as `/source/flags`; null if the text is not a valid pattern. */
export function readPattern(text: string): Pattern | null {
  const match = WRITTEN.exec(text);
  return match === null ? null : compilePattern(match[1]!, match[2]!);
}

/** Whether a text is written as a pattern, valid or not. */
export const isPattern = (text: string): boolean => WRITTEN.test(text);
