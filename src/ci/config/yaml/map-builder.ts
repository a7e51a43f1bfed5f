import { looksLikeNumber } from './plain-values.ts';
import { isMap, KEYS_WITHOUT_TEXT, newMap, type RawMap, type RawTree } from './reference.ts';
import { textSize } from './sizes.ts';
import { tooBig } from './yaml-error.ts';

/** Maximum number of keys copied by merges (`<<`) in a file. */
const MAX_MERGED = 200_000;
/** Maximum length of a key that is a list or map, whose text could grow by aliases and nesting. */
const LARGEST_KEY = 4096;

export class MergeBudget {
  private left = MAX_MERGED;

  take(keys: number): void {
    this.left -= keys;
    if (this.left < 0) throw tooBig();
  }
}

/** A parsed key. */
export interface Key {
  key: RawTree;
  size: number;
  /** Whether it is a plain scalar without a tag. */
  isPlain: boolean;
}

/** A map being read. Of equal keys the last value wins, at the position of the first. */
export class MapBuilder {
  readonly map: RawMap = newMap();
  length = 0;
  /** Size of keys and values, including repeated aliases. */
  size = 0;
  height = 0;
  private readonly merges: MergeBudget;

  constructor(merges: MergeBudget) {
    this.merges = merges;
  }

  /** Adds a value, or merges it if its key is `<<` and it consists of maps. @throws YamlError if a key is too large */
  put({ key, size, isPlain }: Key, value: RawTree): void {
    if (key === '<<' && this.merge(value)) return;
    const text = isPlain && typeof key === 'string' ? withoutColon(key) : this.textOf(key, size);
    this.set(text, value);
    if (typeof key !== 'string' || (isPlain && looksLikeNumber(key))) {
      const odd = KEYS_WITHOUT_TEXT.get(this.map) ?? new Set();
      KEYS_WITHOUT_TEXT.set(this.map, odd.add(text));
    }
  }

  /** The text of a key. @throws YamlError if it is too large */
  private textOf(key: RawTree, size: number): string {
    if (typeof key !== 'object' || key === null) return typeof key === 'string' ? key : String(key ?? '');
    if (size > LARGEST_KEY) throw tooBig();
    const text = JSON.stringify(key);
    // Quotation marks double with each nesting of keys.
    if (text.length > LARGEST_KEY) throw tooBig();
    this.size += textSize(text);
    return text;
  }

  private set(key: string, value: RawTree): void {
    if (!(key in this.map)) this.length++;
    this.map[key] = value;
  }

  /**
   * Merged values override earlier ones. @returns whether the value is a map, or a list of maps, of which the first has
   * precedence
   */
  private merge(value: RawTree): boolean {
    const sources = Array.isArray(value) ? value.toReversed() : [value];
    if (!sources.every(isMap)) return false;
    for (const source of sources) {
      const keys = Object.keys(source);
      this.merges.take(keys.length + 1);
      for (const key of keys) this.set(key, source[key]!);
    }
    return true;
  }
}

/** A Ruby symbol is read as its name. */
const withoutColon = (key: string): string =>
  /^:./.test(key) ? (/^:["'](.*)["']/.exec(key)?.[1] ?? key.slice(1)) : key;
