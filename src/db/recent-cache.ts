/** Milliseconds for which a value may be used, unless this process changes it. */
const MAX_AGE = 1_000;

interface Entry {
  value: unknown;
  /** By a clock that never jumps. */
  readAt: number;
}

/**
 * Remembers what seldom changes and is needed by nearly every request: settings of the installation. What this process
 * changes holds at once; what another process changes holds a second later. Few keys, each known to the program.
 */
export class RecentCache {
  readonly #entries = new Map<string, Entry>();
  #changes = 0;

  /** The remembered value of the key, or what `load` reads now. */
  async get<T>(key: string, load: () => Promise<T>): Promise<T> {
    const readAt = performance.now();
    const known = this.#entries.get(key);
    if (known !== undefined && readAt - known.readAt < MAX_AGE) return known.value as T;
    const changes = this.#changes;
    const value = await load();
    // What was being read while something changed may be what it was before.
    if (changes === this.#changes) this.#entries.set(key, { value, readAt });
    return value;
  }

  /** For whoever has changed something, once that is committed. */
  invalidate(): void {
    this.#changes += 1;
    this.#entries.clear();
  }
}
