import { EntryCache } from '../../core/cache/index.ts';
import { type ParamObject, ParamsError, parseUrlencoded } from './rack.ts';

const FAILURE = Symbol('failure');

/** Clients repeat their requests: short query strings are parsed once. */
const cache = new EntryCache<string, ParamObject>('query_strings');
const MAX_CACHED_LENGTH = 300;

/**
 * Parses a query string. Never throws, because the router calls it: an error is stored and returned by `queryError`.
 */
export function parseQuery(text: string): ParamObject {
  if (text.length > MAX_CACHED_LENGTH) return parse(text);
  let params = cache.get(text);
  if (params === undefined) {
    params = Object.freeze(parse(text));
    cache.set(text, params);
  }
  return params;
}

function parse(text: string): ParamObject {
  try {
    // No parameter in a query string can contain a null byte, and PostgreSQL refuses such texts.
    if (text.includes('%00')) throw new ParamsError('the query string contains a null byte');
    return parseUrlencoded(text);
  } catch (error) {
    return Object.defineProperty(Object.create(null) as ParamObject, FAILURE, { value: error });
  }
}

/** Why the query string could not be parsed; undefined if it is valid. */
export function queryError(query: unknown): ParamsError | undefined {
  const error = (query as { [FAILURE]?: unknown } | undefined)?.[FAILURE];
  return error instanceof ParamsError ? error : undefined;
}
