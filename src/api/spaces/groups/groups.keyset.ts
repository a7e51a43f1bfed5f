import type { SelectQueryBuilder } from 'kysely';
import type { Caller } from '../../../access/caller.ts';
import type { Schema } from '../../../db/db.schema.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import { readTextCursor, writeCursor } from '../../../http/http.cursor.ts';
import { byKeyset, keysetUnavailable, type ReadPage } from '../../../http/listing.ts';
import type { GroupFilters } from './groups.list.ts';

/**
 * Reads groups by keyset: for anonymous callers, by name, ascending (silent parts of the specification, 0.5).
 * @throws ApiError 405 for other orders or callers, 400 for an invalid cursor
 */
export function groupsByName(
  query: SelectQueryBuilder<Schema, 'namespaces', Namespace>,
  caller: Caller,
  { order_by, sort, cursor = '' }: GroupFilters & { cursor?: string },
): ReadPage<Namespace[]> {
  if (caller.user !== null || order_by !== 'name' || sort !== 'asc') throw keysetUnavailable();
  let following = query;
  if (cursor !== '') {
    const { value, id } = readTextCursor(cursor);
    following = query.where((eb) =>
      eb.or([eb('name', '>', value), eb.and([eb('name', '=', value), eb('id', '>', id)])]),
    );
  }
  return byKeyset(following, (last) => ({ cursor: writeCursor({ value: last.name, id: last.id }) }));
}
