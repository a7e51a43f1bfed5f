import type { ColumnType, Generated } from 'kysely';

/** Primary key given by the database. */
export type Id = Generated<number>;
/** Booleans are 0 and 1 in both databases, so that one query text serves both. */
export type Bit = 0 | 1;
/** UTC instant as `2026-01-31T09:05:00.123Z`: fixed width, so text order is time order. */
export type Timestamp = string;
/** Day as `2026-01-31`. */
export type Day = string;
/** A value stored as JSON text. `parseJson` reads it. */
export type Json<_T> = ColumnType<string, string, string>;
/** The same for a column that has a default. */
export type DefaultedJson<_T> = ColumnType<string, string | undefined, string>;
/** A column that has a default, so that an insert may leave it out. */
export type Defaulted<T> = Generated<T>;

export const bit = (value: boolean): Bit => (value ? 1 : 0);

export const parseJson = <T>(text: string): T => JSON.parse(text) as T;
