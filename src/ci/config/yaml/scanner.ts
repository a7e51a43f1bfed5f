import { isBlank, isBreak, isFlowIndicator, isSpaceOrEnd, isWord, SPACE, TAB } from './characters.ts';
import { scanBlock, scanPlain, scanQuoted } from './scan-scalars.ts';
import { scanDirective, scanTag } from './scan-tags.ts';
import { SimpleKeys } from './simple-keys.ts';
import { Cursor } from './yaml.cursor.ts';
import type { Token } from './yaml.tokens.ts';
import { type Mark, syntaxError, tooBig } from './yaml-error.ts';

/** Maximum nesting of brackets, beyond any configuration. */
const DEEPEST_FLOW = 1000;

/**
 * Splits a text into tokens by the rules and with the messages of libyaml: indentation becomes tokens, and keys are
 * recognized at their `:`. Works on demand, one token at a time.
 */
export class Scanner {
  private readonly cursor: Cursor;
  private tokens: Token[] = [];
  private head = 0;
  private taken = 0;
  private done = false;
  private indent = -1;
  private readonly indents: number[] = [];
  private flowLevel = 0;
  private keyAllowed = true;
  private readonly keys = new SimpleKeys();

  constructor(text: string) {
    this.cursor = new Cursor(text);
  }

  peek(): Token {
    while (this.needsMore()) this.fetch();
    return this.tokens[this.head]!;
  }

  /** Moves to the next token. */
  skip(): void {
    this.head++;
    this.taken++;
    if (this.head === this.tokens.length) {
      this.tokens = [];
      this.head = 0;
    }
  }

  private needsMore(): boolean {
    if (this.head === this.tokens.length) return !this.done;
    this.keys.dropStale(this.cursor);
    return !this.done && this.keys.mayBegin(this.taken);
  }

  private push(type: Token['type'], start: Mark, value = '', plain = false): void {
    this.tokens.push({ type, start, value, plain });
  }

  private saveKey(): void {
    if (!this.keyAllowed) return;
    const mark = this.cursor.mark();
    const required = this.flowLevel === 0 && this.indent === mark.column;
    this.keys.save(mark, this.taken + this.tokens.length - this.head, required);
  }

  /** @param at index of the first token of the collection */
  private roll(column: number, type: 'sequence-start' | 'mapping-start', mark: Mark, at = this.tokens.length): void {
    if (this.flowLevel > 0 || this.indent >= column) return;
    this.indents.push(this.indent);
    this.indent = column;
    this.tokens.splice(at, 0, { type, start: mark, value: '', plain: false });
  }

  private unroll(column: number): void {
    if (this.flowLevel > 0) return;
    while (this.indent > column) {
      this.push('block-end', this.cursor.mark());
      this.indent = this.indents.pop()!;
    }
  }

  private skipSpace(): void {
    const { cursor } = this;
    for (;;) {
      while (cursor.peek() === SPACE || (cursor.peek() === TAB && (this.flowLevel > 0 || !this.keyAllowed)))
        cursor.at++;
      if (cursor.peek() === 35) cursor.skipToBreak();
      if (!isBreak(cursor.peek())) return;
      cursor.takeBreak();
      if (this.flowLevel === 0) this.keyAllowed = true;
    }
  }

  private fetch(): void {
    this.skipSpace();
    this.keys.dropStale(this.cursor);
    this.unroll(this.cursor.column);
    if (this.fetchAtMargin() || this.fetchBracket() || this.fetchProperty() || this.fetchIndicator()) return;
    if (!this.startsPlain())
      throw syntaxError(
        'found character that cannot start any token',
        'while scanning for the next token',
        this.cursor.mark(),
      );
    this.fetchPlain();
  }

  private fetchAtMargin(): boolean {
    const code = this.cursor.peek();
    if (code === 0) this.fetchEnd();
    else if (code === 37 && this.cursor.column === 0) this.fetchDirective();
    else if (this.cursor.atDocumentIndicator()) this.fetchDocument(code === 45 ? 'document-start' : 'document-end');
    else return false;
    return true;
  }

  private fetchBracket(): boolean {
    const code = this.cursor.peek();
    if (code === 91) this.openFlow('flow-sequence-start');
    else if (code === 123) this.openFlow('flow-mapping-start');
    else if (code === 93) this.closeFlow('flow-sequence-end');
    else if (code === 125) this.closeFlow('flow-mapping-end');
    else if (code === 44) this.fetchFlowEntry();
    else return false;
    return true;
  }

  private fetchProperty(): boolean {
    const code = this.cursor.peek();
    if (code === 42) this.fetchName('alias');
    else if (code === 38) this.fetchName('anchor');
    else if (code === 33) this.fetchTag();
    else if (code === 39 || code === 34) this.fetchQuoted(code);
    else if ((code === 124 || code === 62) && this.flowLevel === 0) this.fetchBlockScalar();
    else return false;
    return true;
  }

  private fetchIndicator(): boolean {
    const code = this.cursor.peek();
    const ended = isSpaceOrEnd(this.cursor.peek(1));
    const inFlow = this.flowLevel > 0;
    if (code === 45 && ended) this.fetchEntry();
    else if (code === 63 && (inFlow || ended)) this.fetchKey();
    else if (code === 58 && (inFlow || ended)) this.fetchValue();
    else return false;
    return true;
  }

  private startsPlain(): boolean {
    const code = this.cursor.peek();
    if (code === 45) return !isBlank(this.cursor.peek(1));
    if (code === 63 || code === 58) return this.flowLevel === 0;
    return !isSpaceOrEnd(code) && !'#|>%@`'.includes(String.fromCharCode(code));
  }

  /** Closes all open collections at the margin. */
  private closeAll(): void {
    this.unroll(-1);
    this.keys.drop();
    this.keyAllowed = false;
  }

  private fetchEnd(): void {
    if (this.cursor.column !== 0) this.cursor.newLine();
    this.closeAll();
    this.push('stream-end', this.cursor.mark());
    this.done = true;
  }

  private fetchDirective(): void {
    this.closeAll();
    const start = this.cursor.mark();
    this.push('directive', start, scanDirective(this.cursor));
  }

  private fetchDocument(type: 'document-start' | 'document-end'): void {
    this.closeAll();
    this.push(type, this.cursor.mark());
    this.cursor.at += 3;
  }

  private openFlow(type: 'flow-sequence-start' | 'flow-mapping-start'): void {
    this.saveKey();
    if (++this.flowLevel > DEEPEST_FLOW) throw tooBig();
    this.keys.open();
    this.keyAllowed = true;
    this.pushIndicator(type);
  }

  private closeFlow(type: 'flow-sequence-end' | 'flow-mapping-end'): void {
    this.keys.drop();
    if (this.flowLevel > 0) {
      this.flowLevel--;
      this.keys.close();
    }
    this.keyAllowed = false;
    this.pushIndicator(type);
  }

  private pushIndicator(type: Token['type']): void {
    this.push(type, this.cursor.mark());
    this.cursor.at++;
  }

  private fetchFlowEntry(): void {
    this.keys.drop();
    this.keyAllowed = true;
    this.pushIndicator('flow-entry');
  }

  private fetchEntry(): void {
    if (this.flowLevel === 0) {
      const mark = this.cursor.mark();
      if (!this.keyAllowed) throw syntaxError('block sequence entries are not allowed in this context', null, mark);
      this.roll(mark.column, 'sequence-start', mark);
    }
    this.keys.drop();
    this.keyAllowed = true;
    this.pushIndicator('entry');
  }

  private fetchKey(): void {
    if (this.flowLevel === 0) {
      const mark = this.cursor.mark();
      if (!this.keyAllowed) throw syntaxError('mapping keys are not allowed in this context', null, mark);
      this.roll(mark.column, 'mapping-start', mark);
    }
    this.keys.drop();
    this.keyAllowed = this.flowLevel === 0;
    this.pushIndicator('key');
  }

  private fetchValue(): void {
    const key = this.keys.take();
    if (key !== null) {
      const at = this.head + key.tokenNumber - this.taken;
      this.tokens.splice(at, 0, { type: 'key', start: key.mark, value: '', plain: false });
      this.roll(key.mark.column, 'mapping-start', key.mark, at);
      this.keyAllowed = false;
    } else {
      if (this.flowLevel === 0) {
        const mark = this.cursor.mark();
        if (!this.keyAllowed) throw syntaxError('mapping values are not allowed in this context', null, mark);
        this.roll(mark.column, 'mapping-start', mark);
      }
      this.keyAllowed = this.flowLevel === 0;
    }
    this.pushIndicator('value');
  }

  private fetchName(type: 'alias' | 'anchor'): void {
    this.saveKey();
    this.keyAllowed = false;
    const start = this.cursor.mark();
    const from = ++this.cursor.at;
    while (isWord(this.cursor.peek())) this.cursor.at++;
    const code = this.cursor.peek();
    const ended =
      isSpaceOrEnd(code) ||
      (isFlowIndicator(code) && code !== 91 && code !== 123) ||
      '?:%@`'.includes(String.fromCharCode(code));
    if (this.cursor.at === from || !ended) {
      const article = type === 'alias' ? 'while scanning an alias' : 'while scanning an anchor';
      throw syntaxError('did not find expected alphabetic or numeric character', article, start);
    }
    this.push(type, start, this.cursor.text.slice(from, this.cursor.at));
  }

  private fetchTag(): void {
    this.saveKey();
    this.keyAllowed = false;
    const start = this.cursor.mark();
    this.push('tag', start, scanTag(this.cursor, this.flowLevel > 0));
  }

  private fetchBlockScalar(): void {
    this.keys.drop();
    this.keyAllowed = true;
    const start = this.cursor.mark();
    this.push('scalar', start, scanBlock(this.cursor, this.indent));
  }

  private fetchQuoted(quote: number): void {
    this.saveKey();
    this.keyAllowed = false;
    const start = this.cursor.mark();
    this.push('scalar', start, scanQuoted(this.cursor, quote));
  }

  private fetchPlain(): void {
    this.saveKey();
    this.keyAllowed = false;
    const start = this.cursor.mark();
    const { value, broken } = scanPlain(this.cursor, this.indent, this.flowLevel > 0);
    if (broken) this.keyAllowed = true;
    this.push('scalar', start, value, true);
  }
}
