import { sql } from 'kysely';
import type { Exporting } from './relation.ts';

/** Rows that one statement reads; texts of a row can have a megabyte. */
const ROWS = 200;

interface Child {
  id: number;
  /** Id of what it belongs to. */
  parent: number;
}

/**
 * Rows that belong to a page of others, read in the order of these a few at a time: however many belong to one, only a
 * few are in memory.
 */
export class Children<T extends Child> {
  readonly #read: (after: Child) => Promise<T[]>;
  #rows: T[] = [];
  #last: Child = { parent: 0, id: 0 };
  #ended = false;

  /** @param read gives at most `limit` rows behind one, ordered by what they belong to and their id */
  constructor(read: (after: Child, limit: number) => Promise<T[]>) {
    this.#read = (after) => read(after, ROWS);
  }

  /** Those of one of them. Must be asked in the order of ids. */
  async *of(parent: number): AsyncGenerator<T> {
    for (;;) {
      const row = this.#rows[0] ?? (await this.#more());
      if (row === undefined || row.parent > parent) return;
      this.#rows.shift();
      if (row.parent === parent) yield row;
    }
  }

  async #more(): Promise<T | undefined> {
    if (this.#ended) return undefined;
    this.#rows = await this.#read(this.#last);
    this.#ended = this.#rows.length < ROWS;
    this.#last = this.#rows.at(-1) ?? this.#last;
    return this.#rows[0];
  }
}

/** Condition for rows behind one, in the order of two columns. */
export const behind = (parent: string, { parent: last, id }: Child, column = 'id') =>
  sql<boolean>`(${sql.ref(parent)}, ${sql.ref(column)}) > (${last}, ${id})`;

/** Text of a list of objects, a few at a time. */
export async function* listText(objects: AsyncIterable<object>): AsyncGenerator<string> {
  let first = true;
  for await (const object of objects) {
    yield `${first ? '' : ','}${JSON.stringify(object)}`;
    first = false;
  }
}

/** The text of an object whose lists are too long to be made whole. */
export async function* objectText(
  attributes: object,
  lists: Readonly<Record<string, AsyncIterable<object>>>,
): AsyncGenerator<string> {
  yield JSON.stringify(attributes).slice(0, -1);
  for (const [name, objects] of Object.entries(lists)) {
    yield `,${JSON.stringify(name)}:[`;
    yield* listText(objects);
    yield ']';
  }
  yield '}\n';
}

/** Tells of all users whom the columns of a row name. */
export function nameUsers<T>({ names }: Exporting, row: T, columns: readonly (keyof T)[]): void {
  for (const column of columns) names(row[column] as number | null);
}
