import type { SelectQueryBuilder } from 'kysely';
import { ApiError } from '../core/core.errors.ts';
import type { PageRange } from '../db/paginate.ts';

/** Query parameters of the next keyset page. */
export type NextPage = Record<string, string | number>;

/** A page of a list. */
export type Listing<R> = { rows: R } & (
  | {
      /** Number of all rows; null if they are not counted. */
      total: number | null;
      /** Whether there is a next page, if the rows are not counted. */
      more?: boolean;
    }
  | {
      /** Start of the next page of a list by keyset; null at its end. */
      next: NextPage | null;
    }
);

/** Limits of pages, where they are not those of most lists. */
export interface PageLimits {
  /** Size of a page when absent: 20. */
  size?: number;
  /** Maximum size: 100. */
  maxSize?: number;
  /** Type of the objects, for lists whose later rows take keyset pagination: 405 above the maximum offset. */
  offsetsOf?: 'Issue' | 'Project';
}

/** Reads a page of a list. */
export type ReadPage<R> = (page: PageRange) => Listing<R> | Promise<Listing<R>>;

/** A list: a function that reads a page, a query in a total order whose rows are counted, or all rows. */
export type List<DB, TB extends keyof DB, T, R> = ReadPage<R> | SelectQueryBuilder<DB, TB, T> | readonly T[];

/** Parameters of the page after a row. */
type NextOf<T> = (last: T, size: number) => NextPage;

/** Makes a keyset page. @param read its rows, and one more if there is a next page */
export const keysetPage = <T>(read: T[], size: number, nextOf: NextOf<T>): Listing<T[]> => {
  const rows = read.slice(0, size);
  return { rows, next: read.length > size ? nextOf(rows.at(-1)!, size) : null };
};

/** Makes a page of a list that is not counted. @param read its rows, and one more if there is a next page */
export const uncountedPage = <T>(read: T[], size: number): Listing<T[]> => ({
  rows: read.slice(0, size),
  total: null,
  more: read.length > size,
});

/** Reads a keyset page. @param query ordered, and beginning where the page begins */
export const byKeyset =
  <DB, TB extends keyof DB, T>(query: SelectQueryBuilder<DB, TB, T>, nextOf: NextOf<T>): ReadPage<T[]> =>
  async ({ size }) =>
    keysetPage(await query.limit(size + 1).execute(), size, nextOf);

/** Reads a page of a query, in a total order, whose rows are not counted. */
export const uncounted =
  <DB, TB extends keyof DB, T>(query: SelectQueryBuilder<DB, TB, T>): ReadPage<T[]> =>
  async ({ offset, size }) =>
    uncountedPage(
      await query
        .limit(size + 1)
        .offset(offset)
        .execute(),
      size,
    );

/** Maximum offset of lists that are long: further rows take keyset pagination. */
const MAX_OFFSET = 50_000;

const notAllowed = (text: string) => new ApiError(405, text, { error: text });

/** The refusal of a keyset page in an order, or for a caller, that has none. */
export const keysetUnavailable = (): ApiError =>
  notAllowed('Keyset pagination is not yet available for this type of request');

/** @param type type of the objects @throws ApiError 405 above the maximum offset */
export function limitOffset(offset: number, type: 'Group' | 'Issue' | 'Project'): void {
  if (offset <= MAX_OFFSET) return;
  throw notAllowed(
    `Offset pagination has a maximum allowed offset of ${MAX_OFFSET} for requests that return objects of type ${type}. ` +
      'Remaining records can be retrieved using keyset pagination.',
  );
}
