import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SelectQueryBuilder } from 'kysely';
import type { Caller } from '../../../access/caller.ts';
import { ApiError } from '../../../core/core.errors.ts';
import type { Schema } from '../../../db/db.schema.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import { readTextCursor, writeCursor } from '../../../http/http.cursor.ts';
import type { Page } from '../../../http/pagination.ts';
import { setKeysetHeaders } from '../../../http/pagination.ts';
import type { GroupFilters } from './groups.list.ts';

/** Maximum offset for anonymous callers; further groups take keyset pagination. */
const MAX_OFFSET = 50_000;

const notAllowed = (text: string) => new ApiError(405, text, { error: text });

/** @throws ApiError 405 for anonymous callers above the maximum offset */
export function checkOffset(caller: Caller, page: Page): void {
  if (caller.user === null && page.offset + page.size > MAX_OFFSET) {
    throw notAllowed(
      `Offset pagination has a maximum allowed offset of ${MAX_OFFSET} for requests that return objects of type Group. ` +
        'Remaining records can be retrieved using keyset pagination.',
    );
  }
}

/**
 * Returns a page by keyset: for anonymous callers, by name, ascending (silent parts of the specification, 0.5).
 * @throws ApiError 405 for other orders or callers, 400 for an invalid cursor
 */
export async function keysetPage(
  query: SelectQueryBuilder<Schema, 'namespaces', Namespace>,
  caller: Caller,
  filters: GroupFilters,
  position: { cursor: string | undefined; size: number },
  response: { base: string; request: FastifyRequest; reply: FastifyReply },
): Promise<Namespace[]> {
  if (caller.user !== null || filters.order_by !== 'name' || filters.sort !== 'asc') {
    throw notAllowed('Keyset pagination is not yet available for this type of request');
  }
  let following = query.limit(position.size + 1);
  if (position.cursor !== undefined && position.cursor !== '') {
    const { value: name, id } = readTextCursor(position.cursor);
    following = following.where((eb) =>
      eb.or([eb('name', '>', name), eb.and([eb('name', '=', name), eb('id', '>', id)])]),
    );
  }
  const rows = await following.execute();
  const page = rows.slice(0, position.size);
  const last = page.at(-1);
  const next =
    rows.length > position.size && last !== undefined
      ? { cursor: writeCursor({ value: last.name, id: last.id }) }
      : null;
  setKeysetHeaders(response.base, response.request, response.reply, next);
  return page;
}
