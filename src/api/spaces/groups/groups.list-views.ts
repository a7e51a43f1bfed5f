import { Type } from 'typebox';
import { pageOf } from '../../../db/paginate.ts';
import type { BaseContext } from '../../../http/http.route.ts';
import { Enum } from '../../../http/http.schema.ts';
import { setPageHeaders } from '../../../http/pagination.ts';
import { checkOffset, keysetPage } from './groups.keyset.ts';
import { type GroupBase, type GroupFilters, groupQuery } from './groups.list.ts';
import { presentGroups } from './groups.views.ts';

/** Parameters of keyset pagination. */
export const keysetParams = {
  pagination: Type.Optional(
    Enum(['legacy', 'keyset'], { description: '`keyset` is for anonymous callers ordering by name.' }),
  ),
  cursor: Type.Optional(Type.String({ maxLength: 2_000 })),
};

/** Sends a page of groups with its headers. */
export async function respondWithGroups(
  context: BaseContext,
  filters: GroupFilters & { pagination?: 'legacy' | 'keyset'; cursor?: string },
  base: GroupBase,
) {
  const { deps, caller, page, request, reply } = context;
  const presentation = { statistics: filters.statistics, customAttributes: filters.with_custom_attributes };
  const query = await groupQuery(deps, caller, filters, base);
  if (filters.pagination === 'keyset') {
    const position = { cursor: filters.cursor, size: page.size };
    const rows = await keysetPage(query, caller, filters, position, { base: deps.externalUrl(), request, reply });
    return presentGroups(deps, caller, rows, presentation);
  }
  checkOffset(caller, page);
  const { rows, total } = await pageOf(deps.db, query, page);
  setPageHeaders(deps.externalUrl(), request, reply, page, { total });
  return presentGroups(deps, caller, rows, presentation);
}
