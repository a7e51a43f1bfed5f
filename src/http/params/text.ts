import { isUtf8 } from 'node:buffer';
import { badRequest } from '../../core/core.errors.ts';

/** The text of bytes, never an altered one. @throws ApiError 400 when they are not UTF-8 */
export function decodeUtf8(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw badRequest('the text is not valid UTF-8');
  return bytes.toString('utf8');
}

/** Half of a pair of surrogates, written as JSON escapes it. */
const ESCAPED_SURROGATE = /\\u[dD][89a-fA-F]/;

/**
 * Refuses texts that no encoding can hold: JSON can escape half of a character.
 * @param value what the text was parsed to
 * @throws ApiError 400
 */
export function checkWellFormed(text: string, value: unknown): void {
  if (!ESCAPED_SURROGATE.test(text)) return;
  const waiting = [value];
  while (waiting.length > 0) {
    const each = waiting.pop();
    if (typeof each === 'string') {
      if (!each.isWellFormed()) throw badRequest('a text holds half of a pair of surrogates');
    } else if (typeof each === 'object' && each !== null) {
      for (const [key, member] of Object.entries(each)) waiting.push(key, member);
    }
  }
}
