import { GraphQLError } from 'graphql';
import type { Json, Rest } from './rest.ts';

/** Pagination arguments of a list. */
export interface PageArguments {
  first?: number | null;
  after?: string | null;
  last?: number | null;
  before?: string | null;
}

interface Connection {
  nodes: Json[];
  edges: { cursor: string; node: Json }[];
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null };
  count: number | null;
}

/** Maximum page size of a list. */
export const MAX_PAGE = 100;

const cursorOf = (position: number): string => Buffer.from(String(position)).toString('base64url');

function positionOf(cursor: string): number {
  const text = Buffer.from(cursor, 'base64url').toString();
  if (!/^\d{1,9}$/.test(text)) throw new GraphQLError(`"${cursor.slice(0, 50)}" is not a cursor of this list`);
  return Number(text);
}

function sizeOf(size: number | null | undefined, name: string): number | undefined {
  if (size === null || size === undefined) return undefined;
  if (size < 0) throw new GraphQLError(`${name} must not be negative`);
  return Math.min(size, MAX_PAGE);
}

/** Offset and maximum size of the requested page. */
function windowOf({ first, after, last, before }: PageArguments, total: number | null): { from: number; size: number } {
  const begin = after ? positionOf(after) + 1 : 0;
  const firstSize = sizeOf(first, 'first');
  const lastSize = sizeOf(last, 'last');
  if (lastSize === undefined) {
    const end = before ? positionOf(before) : Number.POSITIVE_INFINITY;
    return { from: begin, size: Math.max(0, Math.min(firstSize ?? MAX_PAGE, end - begin)) };
  }
  const end = before ? positionOf(before) : total;
  if (end === null) throw new GraphQLError('last requires before: this list is too long to be counted');
  const from = Math.max(begin, end - lastSize);
  return { from, size: Math.max(0, end - from) };
}

function connectionOf(rows: readonly Json[], from: number, more: boolean, count: number | null): Connection {
  const edges = rows.map((node, index) => ({ cursor: cursorOf(from + index), node }));
  return {
    nodes: [...rows],
    edges,
    pageInfo: {
      hasNextPage: more,
      hasPreviousPage: from > 0,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
    count,
  };
}

/** Wraps a loaded list, or its requested page, in a connection. @throws GraphQLError as `fetchConnection` */
export function connectionOfList(rows: readonly Json[], page: PageArguments = {}): Connection {
  const paged = page.first ?? page.last ?? page.after ?? page.before ?? null;
  if (paged === null) return connectionOf(rows, 0, false, rows.length);
  const { from, size } = windowOf(page, rows.length);
  return connectionOf(rows.slice(from, from + size), from, from + size < rows.length, rows.length);
}

/** Loads a whole list of the REST API; empty if the caller may not read it. @throws GraphQLError if it is too long */
export async function fetchAllPages(
  rest: Rest,
  path: string,
  query: Parameters<Rest['page']>[1] = {},
): Promise<Json[]> {
  const all: Json[] = [];
  for (let page = 1; ; page += 1) {
    const loaded = await rest.page(path, { ...query, page, per_page: MAX_PAGE });
    if (loaded === null) return all;
    rest.budget.charge(loaded.rows.length, 0);
    all.push(...loaded.rows);
    if (loaded.rows.length < MAX_PAGE) return all;
  }
}

/**
 * Loads a page of a list of the REST API as a connection; null if the caller may not read the list.
 * @throws GraphQLError for invalid cursors and sizes
 */
export async function fetchConnection(
  rest: Rest,
  path: string,
  query: Parameters<Rest['page']>[1],
  page: PageArguments,
): Promise<Connection | null> {
  const ask = (number: number, size: number) => rest.page(path, { ...query, page: number, per_page: size });
  let total: number | null = null;
  if (page.last !== null && page.last !== undefined && !page.before) {
    total = (await ask(1, 1))?.total ?? null;
  }
  const { from, size } = windowOf(page, total);
  // One more row tells whether the list continues. A window that begins within a page needs the next page as well.
  const per = Math.min(MAX_PAGE, Math.max(1, size + 1));
  const rows: Json[] = [];
  let counted: number | null = null;
  for (let number = Math.floor(from / per) + 1; rows.length <= size + (from % per); number += 1) {
    const loaded = await ask(number, per);
    if (loaded === null) return null;
    counted = loaded.total;
    rows.push(...loaded.rows);
    if (loaded.rows.length < per) break;
  }
  const part = rows.slice(from % per);
  rest.budget.charge(part.length, 0);
  return connectionOf(part.slice(0, size), from, part.length > size, counted);
}
