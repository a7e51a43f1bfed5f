import { ApiError } from '../../core/core.errors.ts';
import { checkWellFormed } from './text.ts';

/** Maximum nesting; deeper values could exhaust the stack. */
const MAX_DEPTH = 100;
/** Limits of a body: parsing blocks the event loop, and values take many times the memory of their text. */
export interface JsonBounds {
  /** Total number of elements and keys. */
  values: number;
  /** Number of keys of one object. */
  keys: number;
}
/** For requests with credentials: a commit of 20,000 files has as many values. */
const OF_CALLERS: JsonBounds = { values: 100_000, keys: 5_000 };
/** For anonymous requests, as many as in forms. */
const OF_ANYBODY: JsonBounds = { values: 20_000, keys: 5_000 };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const [OPEN, OPEN_LIST, CLOSE, CLOSE_LIST] = [0x7b, 0x5b, 0x7d, 0x5d];

/** Limits of a request's body. @param known whether the request has credentials */
export const jsonBounds = (known: boolean): JsonBounds => (known ? OF_CALLERS : OF_ANYBODY);

/** 400 for a body that is not a JSON object. */
export const invalidJson = () => new ApiError(400, 'Invalid json', { error: 'Invalid json' });

/** Index of the quote that ends a string which begins before `from`; -1 if there is none. */
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

const tooMany = ({ values, keys }: JsonBounds) =>
  new ApiError(
    413,
    `413 Request Entity Too Large - a JSON body has at most ${values} values, and an object in it ${keys} keys`,
  );

/**
 * Refuses texts that exceed the limits, before they are parsed.
 * @throws ApiError 400 or 413
 */
export function checkShape(text: string, bounds: JsonBounds): void {
  let depth = 0;
  let values = 0;
  /** Number of keys of the open objects, by depth. */
  const keys = new Uint32Array(MAX_DEPTH + 1);
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at + 1);
      if (at === -1) throw invalidJson();
    } else if (code === COMMA) {
      values += 1;
    } else if (code === COLON) {
      keys[depth]! += 1;
      if (keys[depth]! > bounds.keys) throw tooMany(bounds);
    } else if (code === OPEN_LIST || code === OPEN) {
      depth += 1;
      values += 1;
      if (depth > MAX_DEPTH) throw invalidJson();
      keys[depth] = 0;
    } else if (code === CLOSE_LIST || code === CLOSE) {
      depth -= 1;
      if (depth < 0) throw invalidJson();
    }
    if (values > bounds.values) throw tooMany(bounds);
  }
}

/**
 * Parses a JSON body; an empty one has no parameters.
 * @param bounds limits; default: those of requests with credentials
 * @throws ApiError 400 if it is not a JSON object, nested too deeply, or has an unpaired surrogate; 413 if it has too
 *   many keys or values
 */
export function parseJsonBody(text: string, bounds = OF_CALLERS): object {
  if (text.trim() === '') return {};
  checkShape(text, bounds);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidJson();
  }
  // Clients in Go send this for no parameters.
  if (value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) throw invalidJson();
  checkWellFormed(text, value);
  return value;
}
