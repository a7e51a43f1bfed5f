import { isUtf8 } from 'node:buffer';
import { badRequest } from '../../core/core.errors.ts';

/** Decodes UTF-8 strictly. @throws ApiError 400 if it is invalid */
export function decodeUtf8(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw badRequest('the text is not valid UTF-8');
  return bytes.toString('utf8');
}

/** An escaped surrogate in JSON. */
const ESCAPED_SURROGATE = /\\u[dD][89a-fA-F]/;

/**
 * Refuses texts with unpaired surrogates, which JSON can escape.
 * @param value the parsed value of the text
 * @throws ApiError 400
 */
export function checkWellFormed(text: string, value: unknown): void {
  if (!ESCAPED_SURROGATE.test(text)) return;
  const waiting = [value];
  while (waiting.length > 0) {
    const each = waiting.pop();
    if (typeof each === 'string') {
      if (!each.isWellFormed()) throw badRequest('a text contains an unpaired surrogate');
    } else if (typeof each === 'object' && each !== null) {
      for (const [key, member] of Object.entries(each)) waiting.push(key, member);
    }
  }
}
