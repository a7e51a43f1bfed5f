import { ApiError } from '../../core/errors.ts';
import { checkWellFormed } from './text.ts';

/** Nested arrays and objects; deeper ones could exhaust the stack where values are walked. */
const MAX_DEPTH = 100;
/** Elements and keys in all: what they take in memory is many times their length in the text. */
const MAX_VALUES = 500_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

/** 400 of a body that is no JSON object. */
export const invalidJson = () => new ApiError(400, 'Invalid json', { error: 'Invalid json' });

/** Index of the quote that ends the string which begins before `from`; -1 when there is none. */
function endOfString(text: string, from: number): number {
  let end = text.indexOf('"', from);
  while (end !== -1) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
  return -1;
}

/**
 * Refuses texts that would grow out of bounds when they are parsed.
 * @param maxValues elements and keys in all
 * @throws ApiError 400 or 413
 */
export function checkShape(text: string, maxValues = MAX_VALUES): void {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at + 1);
      if (at === -1) throw invalidJson();
    } else if (code === COMMA) {
      values += 1;
    } else if (code === 0x5b || code === 0x7b) {
      depth += 1;
      values += 1;
      if (depth > MAX_DEPTH) throw invalidJson();
    } else if (code === 0x5d || code === 0x7d) {
      depth -= 1;
    }
    if (values > maxValues) throw new ApiError(413, '413 Request Entity Too Large');
  }
}

/**
 * Reads a JSON body; an empty one stands for no parameters.
 * @throws ApiError 400 when it is no JSON object, nested too deeply, or holds half a character; 413 when it has too many values
 */
export function parseJsonBody(text: string): object {
  if (text.trim() === '') return {};
  checkShape(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidJson();
  }
  // Clients in Go send this where they have no parameters.
  if (value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) throw invalidJson();
  checkWellFormed(text, value);
  return value;
}
