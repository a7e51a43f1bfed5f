const SQLITE_UNIQUE = [2067, 1555];
const SQLITE_FOREIGN_KEY = 787;

function codeOf(error: unknown): unknown {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('errcode' in error) return error.errcode;
  return 'code' in error ? error.code : undefined;
}

/** Whether a query failed because of a unique constraint, on either engine. */
export function isUniqueViolation(error: unknown): boolean {
  const code = codeOf(error);
  return code === '23505' || SQLITE_UNIQUE.includes(code as number);
}

/** Whether a query failed because of a foreign key: a missing parent row, or remaining child rows. */
export function isForeignKeyViolation(error: unknown): boolean {
  const code = codeOf(error);
  return code === '23503' || code === SQLITE_FOREIGN_KEY;
}
