import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';

/** Number of search words considered. */
const MAX_WORDS = 20;

/** Escapes the wildcards of LIKE; use with `escape '\'`. */
const escapeLike = (text: string): string => text.replace(/[\\%_]/g, (char) => `\\${char}`);

/** `column` contains `text`, ignoring the case of ASCII letters. */
export function contains(column: Expression<string | null>, text: string): Expression<SqlBool> {
  return sql<SqlBool>`lower(${column}) like ${`%${escapeLike(asciiLower(text))}%`} escape '\\'`;
}

/** One of the columns contains all words of the text in any order, ignoring the case of ASCII letters. */
export function containsWords(columns: readonly Expression<string | null>[], text: string): Expression<SqlBool> {
  const words = text.trim().split(/\s+/).slice(0, MAX_WORDS);
  const all = (column: Expression<string | null>) =>
    sql`(${sql.join(
      words.map((word) => contains(column, word)),
      sql` and `,
    )})`;
  return sql<SqlBool>`(${sql.join(columns.map(all), sql` or `)})`;
}

/** `column` equals `text`, ignoring the case of ASCII letters; uses an index on `lower(column)`. */
export function equalsIgnoringCase(column: Expression<string | null>, text: string): Expression<SqlBool> {
  return sql<SqlBool>`lower(${column}) = ${asciiLower(text)}`;
}

/** `column` begins with `prefix`, as a range that can use an index on the column. */
export function startsWith<DB, TB extends keyof DB>(
  eb: ExpressionBuilder<DB, TB>,
  column: Expression<string>,
  prefix: string,
): Expression<SqlBool> {
  return eb.and([sql<SqlBool>`${column} >= ${prefix}`, sql<SqlBool>`${column} < ${`${prefix}\u{10ffff}`}`]);
}

/** Lower case of ASCII letters only, like SQL's lower() in both engines here. */
export const asciiLower = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
