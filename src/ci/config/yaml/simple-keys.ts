import type { Cursor } from './yaml.cursor.ts';
import { type Mark, syntaxError } from './yaml-error.ts';

/** A key without `?` is known as one only at its `:`, which has to come within so many characters, on the same line. */
const LONGEST = 1024;

/** Where a key may have begun. */
interface SimpleKey {
  mark: Mark;
  /** The token before which it would stand. */
  tokenNumber: number;
  /** Whether nothing else can stand there. */
  required: boolean;
}

/** The places where keys may have begun: one at most for each bracket that is open, and one outside of them. */
export class SimpleKeys {
  private readonly keys: (SimpleKey | null)[] = [null];

  save(mark: Mark, tokenNumber: number, required: boolean): void {
    this.drop();
    this.keys[this.keys.length - 1] = { mark, tokenNumber, required };
  }

  /** The innermost one is none. @throws YamlError when it had to be one */
  drop(): void {
    this.dropAt(this.keys.length - 1);
  }

  /** @throws YamlError when one is too far back that had to be one */
  dropStale({ at, line }: Cursor): void {
    for (let level = 0; level < this.keys.length; level += 1) {
      const key = this.keys[level];
      if (key && (key.mark.line < line || key.mark.index + LONGEST < at)) this.dropAt(level);
    }
  }

  private dropAt(level: number): void {
    const key = this.keys[level];
    if (key?.required) throw syntaxError("could not find expected ':'", 'while scanning a simple key', key.mark);
    this.keys[level] = null;
  }

  /** Whether a key may begin before a token. */
  mayBegin(tokenNumber: number): boolean {
    for (const key of this.keys) if (key !== null && key.tokenNumber === tokenNumber) return true;
    return false;
  }

  /** The innermost one, which is one: its `:` is there. */
  take(): SimpleKey | null {
    const key = this.keys.at(-1) ?? null;
    this.keys[this.keys.length - 1] = null;
    return key;
  }

  open(): void {
    this.keys.push(null);
  }

  close(): void {
    this.keys.pop();
  }
}
