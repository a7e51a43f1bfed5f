import { invalidParameter } from '../core/errors.ts';

const MAX_CURSOR = 2_000;

/** The end of a keyset page as clients are given it: the instant that it is sorted by, and the id. */
export const writeInstantCursor = (instant: string, id: number): string =>
  Buffer.from(JSON.stringify([instant, id])).toString('base64url');

/** Reads what `writeInstantCursor` wrote. @throws ApiError 400 for anything else */
export function readInstantCursor(text: string): { instant: string; id: number } {
  try {
    if (text.length > MAX_CURSOR) throw new Error('too long');
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (Array.isArray(value) && typeof value[0] === 'string' && !value[0].includes('\0')) {
      const [instant, id] = value as [string, unknown];
      if (value.length === 2 && Number.isSafeInteger(id)) return { instant, id: id as number };
    }
  } catch {
    // No JSON: refused below.
  }
  throw invalidParameter('cursor is invalid');
}
