import type { Tree, TreeMap } from '../config/loaded.ts';

/** A configuration that is wrong in more places than this, or as often as that, is not looked at further. */
const MAX_ERRORS = 1_000;
const MAX_FAULTS = 10_000;
/** Texts name what stands in the configuration, however long that is. */
const LONGEST = 2_000;

/** Something that is wrong. */
interface Fault {
  /** Of the place; empty where the text does not name it. */
  path: string;
  text: string;
  /** Whether all of it, names too, is told in lower case. */
  lower: boolean;
}

/** What came of reading a value at a place. */
interface Outcome<T> {
  found: T | null;
  path: string;
  faults: Fault[];
}

function whole({ path, text, lower }: Fault): string {
  const words = path === '' ? text : `${path} ${text}`;
  const told = lower ? words.toLowerCase() : words;
  return told.length > LONGEST ? `${told.slice(0, LONGEST)}...` : told;
}

/** What is wrong with a configuration, each thing once, in the order in which it was found. */
export class Problems {
  readonly errors = new Set<string>();
  readonly warnings: string[] = [];
  /** How often something was found wrong, the same again included. */
  count = 0;
  readonly #faults: Fault[] = [];
  readonly #outcomes = new Map<Reader<unknown>, WeakMap<object, unknown>>();

  add(fault: Fault): void {
    this.count++;
    if (this.full) return;
    this.#faults.push(fault);
    this.errors.add(whole(fault));
  }

  get full(): boolean {
    return this.errors.size >= MAX_ERRORS || this.#faults.length >= MAX_FAULTS;
  }

  /**
   * Reads a value at a place; one that was read before is not read again. So what a thousand jobs extend is read once, and is
   * one object in what comes of them.
   */
  read<T>(reader: Reader<T>, value: Tree, at: ConfigNode): T | null {
    if (typeof value !== 'object' || value === null) return reader(value, at);
    let known = this.#outcomes.get(reader) as WeakMap<object, Outcome<T>> | undefined;
    if (known === undefined) {
      known = new WeakMap();
      this.#outcomes.set(reader, known);
    }
    const before = known.get(value);
    if (before !== undefined) return this.#again(before, at);
    const { count } = this;
    const { length } = this.#faults;
    const found = reader(value, at);
    const faults = this.count === count ? [] : this.#faults.slice(length);
    known.set(value, { found, path: faults.length === 0 ? '' : at.path, faults });
    return found;
  }

  #again<T>({ found, path: before, faults }: Outcome<T>, at: ConfigNode): T | null {
    for (const fault of faults) {
      const { path } = fault;
      this.add({ ...fault, path: path.startsWith(before) ? at.path + path.slice(before.length) : path });
    }
    return found;
  }
}

/**
 * Turns what stands at a place into what it means. What is wrong it tells the place, and gives null or, where that is
 * simpler, a value that nobody looks at: a configuration with errors goes no further.
 */
export type Reader<T> = (value: Tree, at: ConfigNode) => T | null;

/** Where in a configuration something stands: what is wrong there is told by this path. */
export class ConfigNode {
  readonly problems: Problems;
  readonly #parent: ConfigNode | null;
  readonly #key: string;

  /** @param key its name in `parent`; the top of a configuration has none */
  constructor(problems: Problems, key = '', parent: ConfigNode | null = null) {
    this.problems = problems;
    this.#key = key;
    this.#parent = parent;
  }

  /** Keys from the top on: `jobs:test:image`. */
  get path(): string {
    const above = this.#parent?.path ?? '';
    return above === '' ? this.#key : `${above}:${this.#key}`;
  }

  child(key: string): ConfigNode {
    return new ConfigNode(this.problems, key, this);
  }

  /** The value here is wrong: `jobs:test:image config <text>`. */
  config(text: string): null {
    return this.lower(`config ${text}`);
  }

  /** A field of the value here is wrong: `jobs:test start in <text>`. */
  field(name: string, text: string): null {
    return this.lower(`${name.replaceAll('_', ' ')} ${text}`);
  }

  /** Something is wrong here; the whole text, names too, is told in lower case. */
  lower(text: string): null {
    this.problems.add({ path: this.path, text, lower: true });
    return null;
  }

  /** The value here is of a kind that it cannot be, which is told as it stands. */
  says(text: string): null {
    this.problems.add({ path: this.path, text, lower: false });
    return null;
  }

  /** Something is wrong, and the text says itself where. */
  tell(text: string): null {
    this.problems.add({ path: '', text, lower: false });
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
