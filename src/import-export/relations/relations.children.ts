import { sql } from 'kysely';
import type { Exporting } from './relation.ts';

/** Maximum number of rows per statement; a row may contain a megabyte of text. */
const ROWS = 200;

interface Child {
  id: number;
  /** Id of the parent. */
  parent: number;
}

/**
 * Child rows of a page of parents, read in batches in the order of parents: only a few are in memory, however many a
 * parent has.
 */
export class Children<T extends Child> {
  readonly #read: (after: Child) => Promise<T[]>;
  #rows: T[] = [];
  #last: Child = { parent: 0, id: 0 };
  #ended = false;

  /** @param read loads at most `limit` rows after the given one, ordered by parent and id */
  constructor(read: (after: Child, limit: number) => Promise<T[]>) {
    this.#read = (after) => read(after, ROWS);
  }

  /** The children of a parent. Must be called in the order of parent ids. */
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

/** Condition for rows after the given one, in the order of two columns. */
export const afterRow = (parent: string, { parent: last, id }: Child, column = 'id') =>
  sql<boolean>`(${sql.ref(parent)}, ${sql.ref(column)}) > (${last}, ${id})`;

/** JSON text of a list of objects, in pieces. */
export async function* listText(objects: AsyncIterable<object>): AsyncGenerator<string> {
  let first = true;
  for await (const object of objects) {
    yield `${first ? '' : ','}${JSON.stringify(object)}`;
    first = false;
  }
}

/** JSON text of an object with long lists, in pieces. */
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

/** Collects the users named by columns of a row. */
export function nameUsers<T>({ names }: Exporting, row: T, columns: readonly (keyof T)[]): void {
  for (const column of columns) names(row[column] as number | null);
}
