import type { Cursor } from './yaml.cursor.ts';
import { type Mark, syntaxError } from './yaml-error.ts';

/** Maximum distance of the `:` from the start of a key without `?`, on the same line. */
const LONGEST = 1024;

/** A possible start of a key. */
interface SimpleKey {
  mark: Mark;
  /** Number of the token that would follow the key indicator. */
  tokenNumber: number;
  /** Whether only a key is valid there. */
  required: boolean;
}

/** Possible starts of keys: at most one for each open bracket, and one outside. */
export class SimpleKeys {
  private readonly keys: (SimpleKey | null)[] = [null];

  save(mark: Mark, tokenNumber: number, required: boolean): void {
    this.drop();
    this.keys[this.keys.length - 1] = { mark, tokenNumber, required };
  }

  /** Drops the innermost one. @throws YamlError if a key was required */
  drop(): void {
    this.dropAt(this.keys.length - 1);
  }

  /** @throws YamlError if a required one is too far back */
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

  /** Whether a key may begin at a token. */
  mayBegin(tokenNumber: number): boolean {
    for (const key of this.keys) if (key !== null && key.tokenNumber === tokenNumber) return true;
    return false;
  }

  /** Takes the innermost one, whose `:` was found. */
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
