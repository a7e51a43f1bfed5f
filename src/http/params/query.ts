import { LRUCache } from 'lru-cache';
import { type ParamObject, ParamsError, parseUrlencoded } from './rack.ts';

const FAILURE = Symbol('failure');

/** Clients ask the same again and again: short query strings are parsed once. */
const kept = new LRUCache<string, ParamObject>({ max: 1_000 });
const MAX_KEPT = 300;

/** Parses a query string. Never throws, for the router calls it: a failure is kept and found by `queryError`. */
export function parseQuery(text: string): ParamObject {
  if (text.length > MAX_KEPT) return parse(text);
  let params = kept.get(text);
  if (params === undefined) {
    params = Object.freeze(parse(text));
    kept.set(text, params);
  }
  return params;
}

function parse(text: string): ParamObject {
  try {
    // No parameter of a query string can hold a null byte, and PostgreSQL refuses texts that do.
    if (text.includes('%00')) throw new ParamsError('the query string holds a null byte');
    return parseUrlencoded(text);
  } catch (error) {
    return Object.defineProperty(Object.create(null) as ParamObject, FAILURE, { value: error });
  }
}

/** Why the query string could not be parsed; undefined when it could. */
export function queryError(query: unknown): ParamsError | undefined {
  const error = (query as { [FAILURE]?: unknown } | undefined)?.[FAILURE];
  return error instanceof ParamsError ? error : undefined;
}
