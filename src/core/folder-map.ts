import { dirname } from 'node:path';

/** Values of folders of this process, which count for everything below them. */
export class FolderMap<T> {
  readonly #values = new Map<string, T[]>();

  /** @param folder an absolute path @returns a function that takes the value back */
  add(folder: string, value: T): () => void {
    const list = this.#values.get(folder) ?? [];
    list.push(value);
    this.#values.set(folder, list);
    let isThere = true;
    return () => {
      if (!isThere) return;
      isThere = false;
      list.splice(list.indexOf(value), 1);
      if (list.length === 0) this.#values.delete(folder);
    };
  }

  /** The latest value of the nearest folder that the path is in; undefined if it is in none. */
  of(path: string): T | undefined {
    if (this.#values.size === 0) return undefined;
    for (let at = path, before = ''; at !== before; before = at, at = dirname(at)) {
      const value = this.#values.get(at)?.at(-1);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  /** The value that was added last, of any folder. */
  get latest(): T | undefined {
    return [...this.#values.values()].at(-1)?.at(-1);
  }
}
