import { RE2JS, RE2JSException } from 're2js';
import { EntryCache } from '../../core/cache/index.ts';
import { patternSize } from '../../core/pattern-size.ts';

/** A pattern of a push rule. Matching takes linear time. */
export interface PushPattern {
  /** Source text. */
  readonly source: string;
  /** Whether it matches a part of the text. @throws PatternFails */
  test(text: string): boolean;
}

/** Matching was refused, because the pattern or the text is too expensive. */
export class PatternFails extends Error {
  override name = 'PatternFails';
}

const MAX_LENGTH = 511;
/** Maximum number of instructions of a pattern. */
const MAX_SIZE = 2_000;
/** Maximum product of instructions and characters of a text: some tenths of a second in the worst case. */
const MAX_STEPS = 10_000_000;

const compiled = new EntryCache<string, PushPattern>('push_patterns');

/**
 * Returns the validation error of a pattern; null if it is valid or empty.
 * @param source in RE2 syntax
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
 * Compiles a stored pattern.
 * @param lines whether `^` and `$` match at line boundaries, unless the pattern has `(?-m)`
 * @returns null for an empty pattern, which matches everything
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
      // A pattern accepted by another version refuses everything.
      if (program === null) throw new PatternFails(`The pattern '${source}' cannot be read`);
      return program.test(text);
    },
  };
  compiled.set(key, pattern);
  return pattern;
}
