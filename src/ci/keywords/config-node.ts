import type { Tree, TreeMap } from '../config/loaded.ts';

/** Maximum number of errors, and of occurrences of errors, before checking stops. */
const MAX_ERRORS = 1_000;
const MAX_FAULTS = 10_000;
/** Maximum length of error texts, which contain names from the configuration. */
const LONGEST = 2_000;

/** An error. */
interface Fault {
  /** Path of the place; empty if the text does not name it. */
  path: string;
  text: string;
  /** Whether the whole text, including names, is converted to lower case. */
  lower: boolean;
}

/** Result of reading a value at a place. */
interface Outcome<T> {
  result: T | null;
  path: string;
  faults: Fault[];
}

function whole({ path, text, lower }: Fault): string {
  const words = path === '' ? text : `${path} ${text}`;
  const message = lower ? words.toLowerCase() : words;
  return message.length > LONGEST ? `${message.slice(0, LONGEST)}...` : message;
}

/** Distinct errors of a configuration, in the order of detection. */
export class Problems {
  readonly errors = new Set<string>();
  readonly warnings: string[] = [];
  /** Number of errors, including repetitions. */
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
   * Reads a value at a place; a value that was read before is not read again. A value extended by a thousand jobs is
   * read once, and its result is shared.
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
    const result = reader(value, at);
    const faults = this.count === count ? [] : this.#faults.slice(length);
    known.set(value, { result, path: faults.length === 0 ? '' : at.path, faults });
    return result;
  }

  #again<T>({ result, path: before, faults }: Outcome<T>, at: ConfigNode): T | null {
    for (const fault of faults) {
      const { path } = fault;
      this.add({ ...fault, path: path.startsWith(before) ? at.path + path.slice(before.length) : path });
    }
    return result;
  }
}

/**
 * Converts a value to its meaning. Reports errors to the node, and returns null or any placeholder then, because a
 * configuration with errors is not used.
 */
export type Reader<T> = (value: Tree, at: ConfigNode) => T | null;

/** A place in a configuration, with the path for error messages. */
export class ConfigNode {
  readonly problems: Problems;
  readonly #parent: ConfigNode | null;
  readonly #key: string;

  /** @param key name in `parent`; empty for the root */
  constructor(problems: Problems, key = '', parent: ConfigNode | null = null) {
    this.problems = problems;
    this.#key = key;
    this.#parent = parent;
  }

  /** Path from the root: `jobs:test:image`. */
  get path(): string {
    const above = this.#parent?.path ?? '';
    return above === '' ? this.#key : `${above}:${this.#key}`;
  }

  child(key: string): ConfigNode {
    return new ConfigNode(this.problems, key, this);
  }

  /** Reports an error of the value: `jobs:test:image config <text>`. */
  config(text: string): null {
    return this.lower(`config ${text}`);
  }

  /** Reports an error of a field: `jobs:test start in <text>`. */
  field(name: string, text: string): null {
    return this.lower(`${name.replaceAll('_', ' ')} ${text}`);
  }

  /** Reports an error in lower case, including names. */
  lower(text: string): null {
    this.problems.add({ path: this.path, text, lower: true });
    return null;
  }

  /** Reports a value of a wrong type. */
  says(text: string): null {
    this.problems.add({ path: this.path, text, lower: false });
    return null;
  }

  /** Reports an error with a complete text. */
  tell(text: string): null {
    this.problems.add({ path: '', text, lower: false });
    return null;
  }

  /** Reads the value of a key; null if it is missing or null. */
  read<T>(config: TreeMap, key: string, reader: Reader<T>): T | null {
    const value = own(config, key);
    return value === null ? null : this.problems.read(reader, value, this.child(key));
  }
}

/** The own value of a key; null if there is none. */
export const own = (config: TreeMap, key: string): Tree => (Object.hasOwn(config, key) ? config[key]! : null);
