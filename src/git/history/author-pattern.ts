import { RE2JS, RE2JSException } from 're2js';
import { patternSize } from '../../core/pattern-size.ts';

/** Maximum number of instructions of a pattern: matching one author takes less than a millisecond. */
const MAX_SIZE = 2_000;
const MAX_LENGTH = 1_000;
/** Maximum count of a repetition in RE2. */
const MAX_TIMES = 1_000;
const REPEAT = /\\\{(\d*)(,?)(\d*)\\\}/y;
const CLASS_NAME = /\[:(\w+):\]/y;
const SPECIAL = /[\\.+*?()|[\]{}^$]/;
/** Unicode character classes, with upper and lower case treated as equal. */
const CLASSES: Readonly<Record<string, string>> = {
  alnum: '\\pL\\p{Nd}',
  alpha: '\\pL',
  blank: ' \\t',
  cntrl: '\\p{Cc}',
  digit: '0-9',
  lower: '\\pL',
  punct: '\\pP\\pS',
  space: '\\s',
  upper: '\\pL',
  xdigit: '0-9A-Fa-f',
};
const WORDS: Readonly<Record<string, string>> = { w: '[\\pL\\p{Nd}_]', W: '[^\\pL\\p{Nd}_]', s: '\\s', S: '\\S' };

/** Whether an author, given as `name <email>`, matches. */
export type AuthorTest = (author: string) => boolean;

/**
 * Compiles a case-insensitive basic regular expression, as `git log --author --regexp-ignore-case` accepts it. Matching
 * takes linear time.
 * @returns null if the pattern is invalid, too large, or has a backreference, which cannot be matched in linear time
 */
export function authorTest(pattern: string): AuthorTest | null {
  if (pattern.length > MAX_LENGTH) return null;
  const source = new BasicExpression(pattern).translate();
  if (source === null || patternSize(source) > MAX_SIZE) return null;
  try {
    const program = RE2JS.compile(source, RE2JS.DOTALL | RE2JS.CASE_INSENSITIVE);
    return (author) => program.test(author);
  } catch (error) {
    if (error instanceof RE2JSException) return null;
    throw error;
  }
}

/** Translates a basic regular expression to RE2. */
class BasicExpression {
  readonly #text: string;
  #at = 0;
  #depth = 0;
  /** Whether a branch starts here, where a star is a literal. */
  #begins = true;
  /** Repetition of the last item. */
  #repeated = '';

  constructor(text: string) {
    this.#text = text;
  }

  /** @returns null if RE2 cannot match the pattern */
  translate(): string | null {
    let out = '';
    while (this.#at < this.#text.length) {
      const next = this.#next();
      if (next === null) return null;
      out += next;
    }
    return this.#depth === 0 ? out : null;
  }

  #next(): string | null {
    const char = this.#char(this.#at);
    if (char === '\\') return this.#escaped();
    const isCaret = char === '^' && this.#begins && !/(^|[^\\])\^$/.test(this.#text.slice(0, this.#at));
    this.#at += char.length;
    if (isCaret) return '^';
    if (char === '$' && this.#endsBranch()) return '$';
    if (char === '*' && !this.#begins) return this.#repeat('*');
    if (char === '[') return this.#set();
    return this.#atom(char === '.' ? '.' : literal(char));
  }

  #char(at: number): string {
    return at < this.#text.length ? String.fromCodePoint(this.#text.codePointAt(at)!) : '';
  }

  #endsBranch(): boolean {
    return this.#at === this.#text.length || /^\\[)|]/.test(this.#text.slice(this.#at, this.#at + 2));
  }

  #atom(out: string): string {
    this.#begins = false;
    this.#repeated = '';
    return out;
  }

  /** RE2 does not support repeated repetitions. A repeated star is a star. */
  #repeat(sign: string): string | null {
    if (this.#repeated !== '') return this.#repeated === '*' && sign === '*' ? '' : null;
    this.#repeated = sign;
    return sign;
  }

  #escaped(): string | null {
    const char = this.#char(this.#at + 1);
    if (char === '') return null;
    if (char === '{') return this.#counted();
    this.#at += 1 + char.length;
    if (char === '(') {
      this.#depth += 1;
      this.#begins = true;
      return '(?:';
    }
    if (char === ')') {
      this.#depth -= 1;
      return this.#depth < 0 ? null : this.#atom(')');
    }
    if (char === '|') {
      this.#begins = true;
      return '|';
    }
    if ((char === '+' || char === '?') && !this.#begins) return this.#repeat(char);
    if (WORDS[char] !== undefined) return this.#atom(WORDS[char]);
    // Backreferences, word boundaries, and undefined escapes.
    if (/[0-9A-Za-z<>`']/.test(char)) return null;
    return this.#atom(literal(char));
  }

  #counted(): string | null {
    REPEAT.lastIndex = this.#at;
    const match = REPEAT.exec(this.#text);
    if (match === null || this.#begins) return null;
    const [all, first, comma, last] = match;
    const least = Number(first);
    const max = comma === '' ? least : last === '' ? least : Number(last);
    if ((first === '' && comma === '') || (comma === '' && last !== '')) return null;
    if (Math.max(least, max) > MAX_TIMES || max < least) return null;
    this.#at += all.length;
    return this.#repeat(`{${least}${comma}${last}}`);
  }

  /** Parses a bracket expression after its opening bracket. */
  #set(): string | null {
    let out = '[';
    if (this.#text[this.#at] === '^') {
      out += '^';
      this.#at += 1;
    }
    for (let isFirst = true; ; isFirst = false) {
      const char = this.#text[this.#at];
      if (char === undefined) return null;
      if (char === ']' && !isFirst) break;
      const member = this.#member();
      if (member === null) return null;
      out += member;
    }
    this.#at += 1;
    return this.#atom(`${out}]`);
  }

  #member(): string | null {
    CLASS_NAME.lastIndex = this.#at;
    const named = CLASS_NAME.exec(this.#text);
    if (named !== null) {
      this.#at = CLASS_NAME.lastIndex;
      return CLASSES[named[1]!] ?? null;
    }
    const from = this.#char(this.#at);
    this.#at += from.length;
    if (from === '[' && /^[:.=]/.test(this.#text.slice(this.#at))) return null;
    if (this.#text[this.#at] !== '-' || /^-\]?$|^-\]/.test(this.#text.slice(this.#at))) return hex(from);
    const to = this.#char(this.#at + 1);
    this.#at += 1 + to.length;
    // Git compares the ends of a range in lower case.
    const [first, last] = [from.toLowerCase(), to.toLowerCase()];
    return to === '[' || last < first ? null : `${hex(first)}-${hex(last)}`;
  }
}

const hex = (char: string): string => `\\x{${char.codePointAt(0)!.toString(16)}}`;

const literal = (char: string): string => (SPECIAL.test(char) ? `\\${char}` : char);
