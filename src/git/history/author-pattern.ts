import { RE2JS, RE2JSException } from 're2js';
import { patternSize } from '../../core/pattern-size.ts';

/** Instructions of a pattern: matching one author takes less than a millisecond. */
const MAX_SIZE = 2_000;
const MAX_LENGTH = 1_000;
/** Of a repetition; RE2 takes no more. */
const MAX_TIMES = 1_000;
const REPEAT = /\\\{(\d*)(,?)(\d*)\\\}/y;
const CLASS_NAME = /\[:(\w+):\]/y;
const SPECIAL = /[\\.+*?()|[\]{}^$]/;
/** Classes of characters, of Unicode, upper and lower case being equal. */
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

/** Whether an author, `name <email>`, fits. */
export type AuthorTest = (author: string) => boolean;

/**
 * A basic regular expression without regard to case, as `git log --author` takes it with `--regexp-ignore-case`.
 * Matching takes time linear in the author.
 * @returns null where it is none, is too large, or refers back to a group, which cannot be matched in linear time
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
  /** Whether a branch begins here: a star stands for itself. */
  #begins = true;
  /** What the last thing is repeated by. */
  #repeated = '';

  constructor(text: string) {
    this.#text = text;
  }

  /** @returns null where it is none that RE2 can match */
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

  /** RE2 takes no repetition of a repetition; that of a star by a star is the star. */
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
    // References back, edges of words, and what no one has given a meaning.
    if (/[0-9A-Za-z<>`']/.test(char)) return null;
    return this.#atom(literal(char));
  }

  #counted(): string | null {
    REPEAT.lastIndex = this.#at;
    const match = REPEAT.exec(this.#text);
    if (match === null || this.#begins) return null;
    const [all, first, comma, last] = match;
    const least = Number(first);
    const most = comma === '' ? least : last === '' ? least : Number(last);
    if ((first === '' && comma === '') || (comma === '' && last !== '')) return null;
    if (Math.max(least, most) > MAX_TIMES || most < least) return null;
    this.#at += all.length;
    return this.#repeat(`{${least}${comma}${last}}`);
  }

  /** What stands in brackets, from behind the first one. */
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
