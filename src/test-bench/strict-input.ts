import type { TObject } from 'typebox';
import { ApiError } from '../core/core.errors.ts';

/** Parameters of any request. */
const OF_REQUESTS: readonly string[] = ['private_token', 'access_token', 'sudo'];

/**
 * Refuses keys that nobody reads: in a test they are mistakes.
 * @param sent all parameters of the request, or those of a nested object
 * @param path of the nested object with a dot, such as `match.`
 * @throws ApiError 400 naming the first unknown key and those that there are
 */
export function refuseUnknownKeys(sent: Readonly<Record<string, unknown>>, schema: TObject, path = ''): void {
  const known = Object.keys(schema.properties);
  const unknown = Object.keys(sent).find((key) => !known.includes(key) && !OF_REQUESTS.includes(key));
  if (unknown === undefined) return;
  throw new ApiError(400, `${path}${unknown} is unknown; known are ${known.join(', ')}`);
}
