import type { SecretBox } from './secret-box.ts';

declare const PURPOSE: unique symbol;
/**
 * An encrypted column value, or one still in plain text from an earlier version. Only `openStored` reads it, and only
 * `sealStored` creates it; values must not be copied to another column.
 */
export interface StoredSecret<Purpose extends string> {
  readonly [PURPOSE]: Purpose;
}

/** Prefix of plain texts of earlier versions that look encrypted. */
const PLAIN = 'plain:';
/** Prefix of encrypted texts. */
export const SEALED = '1.';

/** Encrypts a text for a column. @param purpose table and column */
export const sealStored = <Purpose extends string>(box: SecretBox, text: string, purpose: Purpose) =>
  storedText<Purpose>(box.seal(text, purpose));

/** Marks a text read from a column. */
export const storedText = <Purpose extends string>(text: string): StoredSecret<Purpose> =>
  text as unknown as StoredSecret<Purpose>;

/** Decrypts a column value; null if it cannot be decrypted, for example after the key of the installation was lost. */
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
