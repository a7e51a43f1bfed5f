import { CR, isBreak, isSpaceOrEnd, LF } from './characters.ts';
import { type Mark, syntaxError } from './yaml-error.ts';

const FORBIDDEN = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]/u;
const ASTRAL = /[\ud800-\udbff]/;

/** A moving position in a text. */
export class Cursor {
  readonly text: string;
  at = 0;
  line = 0;
  private lineStart = 0;
  /** Whether the text contains surrogate pairs, so that columns have to be counted. */
  private readonly astral: boolean;

  /** @throws YamlError for characters that YAML cannot contain */
  constructor(text: string) {
    const bare = text.startsWith('\ufeff') ? text.slice(1) : text;
    if (FORBIDDEN.test(bare)) throw syntaxError('control characters are not allowed', null, null);
    this.text = `${bare}\0`;
    this.astral = ASTRAL.test(bare);
  }

  /** @returns the code at a distance; NaN beyond the end, which equals nothing */
  peek(distance = 0): number {
    return this.text.charCodeAt(this.at + distance);
  }

  get column(): number {
    if (!this.astral) return this.at - this.lineStart;
    let column = 0;
    for (let at = this.lineStart; at < this.at; at++) {
      const code = this.text.charCodeAt(at);
      if (code < 0xdc00 || code > 0xdfff) column++;
    }
    return column;
  }

  mark(): Mark {
    return { index: this.at, line: this.line, column: this.column };
  }

  /** Skips a line break. @returns its representation in values */
  takeBreak(): string {
    const code = this.peek();
    this.at += code === CR && this.peek(1) === LF ? 2 : 1;
    this.newLine();
    return code === 0x2028 || code === 0x2029 ? String.fromCharCode(code) : '\n';
  }

  /** The end of the text counts as the end of a line. */
  newLine(): void {
    this.line++;
    this.lineStart = this.at;
  }

  skipToBreak(): void {
    while (this.peek() !== 0 && !isBreak(this.peek())) this.at++;
  }

  /** Whether `---` or `...` is here at the beginning of a line. */
  atDocumentIndicator(): boolean {
    if (this.at !== this.lineStart) return false;
    const code = this.peek();
    return (code === 45 || code === 46) && this.peek(1) === code && this.peek(2) === code && isSpaceOrEnd(this.peek(3));
  }
}
