import { LRUCache } from 'lru-cache';
import { RE2JS, RE2JSException } from 're2js';
import { patternSize } from '../../core/pattern-size.ts';

/** A pattern of a push rule. Matching takes time linear in the text. */
export interface PushPattern {
  /** How it is written. */
  readonly source: string;
  /** Whether it fits some part of the text. @throws PatternFails */
  test(text: string): boolean;
}

/** Whether a pattern fits is not found out: it, or the text, is such that everybody would have to wait for it. */
export class PatternFails extends Error {
  override name = 'PatternFails';
}

const MAX_LENGTH = 511;
/** Instructions of a pattern. */
const MAX_SIZE = 2_000;
/** Instructions times characters of one text: some tenths of a second at the very worst. */
const MAX_STEPS = 10_000_000;

const compiled = new LRUCache<string, PushPattern>({ max: 500 });

/**
 * Why a text can be no pattern of a push rule; null when it can, or is empty.
 * @param source in the syntax of RE2
 */
export function patternError(source: string): string | null {
  if (source === '') return null;
  if (source.length > MAX_LENGTH) return `is too long (maximum is ${MAX_LENGTH} characters)`;
  if (patternSize(source) > MAX_SIZE) return 'is too large: its repetitions come to too many steps';
  try {
    RE2JS.compile(source);
    return null;
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return `not valid RE2 syntax: ${error.message.replace(/^error parsing regexp: /, '')}`;
  }
}

function compile(source: string, flags: number): RE2JS | null {
  try {
    return RE2JS.compile(source, flags);
  } catch (error) {
    if (error instanceof RE2JSException) return null;
    throw error;
  }
}

/**
 * A stored pattern, compiled.
 * @param lines whether `^` and `$` stand for the edges of lines, which `(?-m)` in the pattern takes back
 * @returns null for the empty one, which asks nothing
 */
export function pushPattern(source: string, { lines = false } = {}): PushPattern | null {
  if (source === '') return null;
  const key = `${lines ? 'm' : ''}/${source}`;
  const known = compiled.get(key);
  if (known !== undefined) return known;
  const program = compile(source, lines ? RE2JS.MULTILINE : 0);
  const size = patternSize(source);
  const pattern: PushPattern = {
    source,
    test: (text) => {
      if (text.length * size > MAX_STEPS) {
        throw new PatternFails(`A text of ${text.length} characters is too long for the pattern '${source}'`);
      }
      // What another version has taken for a pattern lets nothing in.
      if (program === null) throw new PatternFails(`The pattern '${source}' cannot be read`);
      return program.test(text);
    },
  };
  compiled.set(key, pattern);
  return pattern;
}
