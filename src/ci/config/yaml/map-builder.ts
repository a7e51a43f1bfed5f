import { looksLikeNumber } from './plain-values.ts';
import { isMap, KEYS_WITHOUT_TEXT, newMap, type RawMap, type RawTree } from './reference.ts';
import { textSize } from './sizes.ts';
import { tooBig } from './yaml-error.ts';

/** Keys that merges (`<<`) may copy in a file. */
const MAX_MERGED = 200_000;
/** A key that is a list or a map stands for its text, which its aliases and keys in keys must not make long. */
const LARGEST_KEY = 4096;

export class MergeBudget {
  private left = MAX_MERGED;

  take(keys: number): void {
    this.left -= keys;
    if (this.left < 0) throw tooBig();
  }
}

/** A key as it was read. */
export interface Key {
  key: RawTree;
  size: number;
  /** Whether it is a scalar without quotes and tags. */
  isPlain: boolean;
}

/** A map that is being read. The last of equal keys wins, in the place of the first. */
export class MapBuilder {
  readonly map: RawMap = newMap();
  length = 0;
  /** Of keys and values, with what their aliases repeat. */
  size = 0;
  height = 0;
  private readonly merges: MergeBudget;

  constructor(merges: MergeBudget) {
    this.merges = merges;
  }

  /** Enters a value, or merges it in when its key is `<<` and it is made of maps. @throws YamlError for a key of too many parts */
  put({ key, size, isPlain }: Key, value: RawTree): void {
    if (key === '<<' && this.merge(value)) return;
    const text = isPlain && typeof key === 'string' ? withoutColon(key) : this.textOf(key, size);
    this.set(text, value);
    if (typeof key !== 'string' || (isPlain && looksLikeNumber(key))) {
      const odd = KEYS_WITHOUT_TEXT.get(this.map) ?? new Set();
      KEYS_WITHOUT_TEXT.set(this.map, odd.add(text));
    }
  }

  /** The text that a key stands for. @throws YamlError for one of too many parts */
  private textOf(key: RawTree, size: number): string {
    if (typeof key !== 'object' || key === null) return typeof key === 'string' ? key : String(key ?? '');
    if (size > LARGEST_KEY) throw tooBig();
    const text = JSON.stringify(key);
    // Each key in a key doubles what has to be quoted in it.
    if (text.length > LARGEST_KEY) throw tooBig();
    this.size += textSize(text);
    return text;
  }

  private set(key: string, value: RawTree): void {
    if (!(key in this.map)) this.length++;
    this.map[key] = value;
  }

  /** What is merged wins over what stands before it. @returns whether it is a map, or a list of maps of which the first wins */
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

/** A symbol, as Ruby reads it, is its name. */
const withoutColon = (key: string): string =>
  /^:./.test(key) ? (/^:["'](.*)["']/.exec(key)?.[1] ?? key.slice(1)) : key;
