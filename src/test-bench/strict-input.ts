import type { TObject } from 'typebox';
import { ApiError } from '../core/core.errors.ts';

/**
 * Refuses keys that nobody reads: in a test they are mistakes.
 * @param sent all parameters of the request
 * @throws ApiError 400 naming the first unknown key and those that there are
 */
export function refuseUnknownKeys(sent: Readonly<Record<string, unknown>>, schema: TObject): void {
  const known = Object.keys(schema.properties);
  const unknown = Object.keys(sent).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  throw new ApiError(400, `${unknown} is unknown; known are ${known.join(', ')}`);
}
