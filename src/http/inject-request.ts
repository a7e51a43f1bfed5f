import type { FastifyInstance } from 'fastify';
import type { InjectOptions, Response } from 'light-my-request';
import { inScope, type RequestScope } from '../core/request-scope.ts';

/**
 * Sends a request to the server of this process, without a connection, in a scope.
 * @param options as of light-my-request
 * @throws the reason of an aborted signal
 */
export const injectRequest = (
  app: Pick<FastifyInstance, 'inject'>,
  scope: RequestScope,
  options: InjectOptions,
): Promise<Response> =>
  // What `inject` returns begins when it is awaited, which has to be within the scope.
  inScope({ ...scope, isInternal: true }, async () => await app.inject(options));

/** Parameters of a query; lists are sent as `name[]`, and those without a value are left out. */
export type Query = Readonly<
  Record<string, string | number | boolean | readonly (string | number)[] | null | undefined>
>;

/** A query string with its question mark; empty for no parameters. */
export function queryString(query: Query): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value)) for (const item of value as readonly unknown[]) search.append(`${name}[]`, String(item));
    else if (value !== undefined && value !== null) search.append(name, String(value));
  }
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}

/** The message of a refusal of the API: a text, or texts by field. @param payload of the answer; some are plain text */
export function refusalText(payload: string): string {
  try {
    const { message, error } = JSON.parse(payload) as Record<string, unknown>;
    const told = message ?? error;
    if (typeof told === 'string') return told;
    return Object.entries(told as Record<string, unknown>)
      .map(([field, texts]) => `${field} ${[texts].flat().join(', ')}`)
      .join('; ');
  } catch {
    return payload.slice(0, 500);
  }
}
