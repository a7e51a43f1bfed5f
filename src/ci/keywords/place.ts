import type { Tree, TreeMap } from '../config/loaded.ts';

/** A configuration that is wrong in more places than this is not looked at further. */
const MOST_PROBLEMS = 1000;

/** What is wrong with a configuration, each thing once, in the order in which it was found. */
export class Problems {
  readonly errors = new Set<string>();
  readonly warnings: string[] = [];
  /** How often something was found wrong, the same again included. */
  count = 0;
  readonly #read = new Map<Reader<unknown>, WeakMap<object, unknown>>();

  add(text: string): void {
    this.count++;
    if (!this.full) this.errors.add(text);
  }

  /**
   * Reads a value at a place; one that was read before without a fault is not read again. So what a thousand jobs extend
   * is read once, and is one object in what comes of them.
   */
  read<T>(reader: Reader<T>, value: Tree, at: Place): T | null {
    if (typeof value !== 'object' || value === null) return reader(value, at);
    let known = this.#read.get(reader) as WeakMap<object, T | null> | undefined;
    if (known === undefined) {
      known = new WeakMap();
      this.#read.set(reader, known);
    }
    const before = known.get(value);
    if (before !== undefined) return before;
    const { count } = this;
    const found = reader(value, at);
    if (this.count === count) known.set(value, found);
    return found;
  }

  get full(): boolean {
    return this.errors.size >= MOST_PROBLEMS;
  }
}

/**
 * Turns what stands at a place into what it means. What is wrong it tells the place, and gives null or, where that is
 * simpler, a value that nobody looks at: a configuration with errors goes no further.
 */
export type Reader<T> = (value: Tree, at: Place) => T | null;

/** Where in a configuration something stands: what is wrong there is told by this path. */
export class Place {
  readonly problems: Problems;
  readonly #parent: Place | null;
  readonly #key: string;

  /** @param key its name in `parent`; the top of a configuration has none */
  constructor(problems: Problems, key = '', parent: Place | null = null) {
    this.problems = problems;
    this.#key = key;
    this.#parent = parent;
  }

  /** Keys from the top on: `jobs:test:image`. */
  get path(): string {
    const above = this.#parent?.path ?? '';
    return above === '' ? this.#key : `${above}:${this.#key}`;
  }

  child(key: string): Place {
    return new Place(this.problems, key, this);
  }

  /** The value here is wrong: `jobs:test:image config <text>`. */
  config(text: string): null {
    return this.says(`config ${text}`.toLowerCase());
  }

  /** A field of the value here is wrong: `jobs:test start in <text>`. */
  field(name: string, text: string): null {
    return this.says(`${name.replaceAll('_', ' ')} ${text}`.toLowerCase());
  }

  /** Something is wrong here, in words of its own. */
  says(text: string): null {
    this.problems.add(`${this.path.toLowerCase()} ${text}`);
    return null;
  }

  /** What a key of the map here holds; null where it does not stand or is null. */
  read<T>(config: TreeMap, key: string, reader: Reader<T>): T | null {
    const value = own(config, key);
    return value === null ? null : this.problems.read(reader, value, this.child(key));
  }
}

/** The value of a key that the map itself has; null where it does not. */
export const own = (config: TreeMap, key: string): Tree => (Object.hasOwn(config, key) ? config[key]! : null);
