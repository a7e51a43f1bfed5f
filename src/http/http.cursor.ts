import { invalidParameter } from '../core/core.errors.ts';

const MAX_CURSOR = 2_000;

/** Position of a keyset page: the sort value and the id of its last row. */
export interface Cursor {
  value: string | number | null;
  id: number;
}

const invalid = () => invalidParameter('cursor is invalid');

/** Encodes a cursor for clients. */
export const writeCursor = ({ value, id }: Cursor): string =>
  Buffer.from(JSON.stringify([value, id])).toString('base64url');

/** Decodes the result of `writeCursor`. @throws ApiError 400 for anything else */
export function readCursor(text: string): Cursor {
  try {
    if (text.length > MAX_CURSOR) throw new Error('too long');
    const parsed: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (!Array.isArray(parsed) || parsed.length !== 2) throw new Error('no pair');
    const [value, id] = parsed as [unknown, unknown];
    const known = value === null || typeof value === 'string' || Number.isSafeInteger(value);
    if (!known || !Number.isSafeInteger(id)) throw new Error('no values');
    if (typeof value === 'string' && value.includes('\0')) throw new Error('no text');
    return { value: value as Cursor['value'], id: id as number };
  } catch {
    throw invalid();
  }
}

/** Decodes a cursor whose sort value is a text, such as an instant. @throws ApiError 400 */
export function readTextCursor(text: string): { value: string; id: number } {
  const { value, id } = readCursor(text);
  if (typeof value !== 'string') throw invalid();
  return { value, id };
}

/** Decodes a cursor that is an id; undefined if it is absent or empty. @throws ApiError 400 */
export function readIdCursor(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  if (!/^[1-9]\d{0,14}$/.test(text)) throw invalid();
  return Number(text);
}
