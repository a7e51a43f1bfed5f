import { type ParamObject, ParamsError, parseUrlencoded } from './rack.ts';

const FAILURE = Symbol('failure');

/** Parses a query string. Never throws, for the router calls it: a failure is kept and found by `queryError`. */
export function parseQuery(text: string): ParamObject {
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
