import type { SecretBox } from './secret-box.ts';

declare const PURPOSE: unique symbol;
/**
 * A secret as a column of the database holds it: sealed, or still plain where an earlier version has written it. Only
 * `openStored` reads it, and only `sealStored` makes it; copies stay within the column.
 */
export interface StoredSecret<Purpose extends string> {
  readonly [PURPOSE]: Purpose;
}

/** What stands before texts of earlier versions that look as if they were sealed. */
const PLAIN = 'plain:';
/** What sealed texts begin with. */
export const SEALED = '1.';

/** Seals a text for a column. @param purpose table and column */
export const sealStored = <Purpose extends string>(box: SecretBox, text: string, purpose: Purpose) =>
  storedText<Purpose>(box.seal(text, purpose));

/** A text of a column, as what it is. */
export const storedText = <Purpose extends string>(text: string): StoredSecret<Purpose> =>
  text as unknown as StoredSecret<Purpose>;

/** What a column holds; null where it cannot be read, as when the key of the installation was lost. */
export function openStored<Purpose extends string>(
  box: SecretBox,
  stored: StoredSecret<Purpose> | null,
  purpose: Purpose,
): string | null {
  if (stored === null) return null;
  const text = String(stored);
  if (text.startsWith(PLAIN)) return text.slice(PLAIN.length);
  return text.startsWith(SEALED) ? box.open(text, purpose) : text;
}
