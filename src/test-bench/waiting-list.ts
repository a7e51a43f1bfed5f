import { type TProperties, Type } from 'typebox';
import { ApiError } from '../core/core.errors.ts';
import type { BaseContext } from '../http/http.route.ts';

/** Longest wait in seconds, and that of requests that name none. */
const LONGEST_WAIT = 60;
export const DEFAULT_WAIT = 30;

export const Timeout = Type.Optional(
  Type.Number({ minimum: 0, maximum: LONGEST_WAIT, description: `Seconds to wait (default: ${DEFAULT_WAIT}).` }),
);

/** Inputs of lists that can wait for more; with those that filter it. */
export const WaitingInput = <T extends TProperties>(filters: T) =>
  Type.Object({
    ...filters,
    after: Type.Optional(
      Type.String({ maxLength: 40, description: 'Only entries after this id, or after this time (ISO 8601).' }),
    ),
    wait: Type.Optional(Type.Boolean({ description: 'Wait until there are `count` entries.' })),
    count: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000, description: 'Number of entries to wait for (default: 1).' }),
    ),
    timeout: Timeout,
  });

/** What `after` names: an id, or a time. @throws ApiError 400 */
export function readAfter(text = '0'): { column: 'id'; value: number } | { column: 'created_at'; value: string } {
  if (/^\d{1,15}$/.test(text)) return { column: 'id', value: Number(text) };
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw new ApiError(400, 'after must be an id or an ISO 8601 time');
  return { column: 'created_at', value: new Date(time).toISOString() };
}

/** Entries of an answer at most, and their characters. */
const MOST = 1_000;
const MOST_CHARACTERS = 16 * 1024 * 1024;

/**
 * The newest of some entries that one answer has room for.
 * @param rows the newest first
 * @returns ids, the oldest first
 */
export function idsWithin(rows: readonly { id: number; size: number }[]): number[] {
  const ids: number[] = [];
  let sum = 0;
  for (const { id, size } of rows) {
    sum += Number(size);
    if (ids.length === MOST || (ids.length > 0 && sum > MOST_CHARACTERS)) break;
    ids.push(id);
  }
  return ids.reverse();
}

/**
 * A list, at once or when it is long enough.
 * @param topic by which it is looked at again
 * @throws ApiError 408 if it is not in time
 */
export async function listInTime<T>(
  c: BaseContext,
  { wait = false, count = 1, timeout = DEFAULT_WAIT }: { wait?: boolean; count?: number; timeout?: number },
  topic: string,
  list: () => Promise<T[]> | T[],
): Promise<T[]> {
  if (!wait) return list();
  let there = 0;
  const long = await c.waitFor(topic, timeout * 1_000, async () => {
    const found = await list();
    there = found.length;
    return there >= count ? found : undefined;
  });
  if (long === undefined) throw new ApiError(408, `there are ${there} of ${count} entries after ${timeout} seconds`);
  return long;
}
