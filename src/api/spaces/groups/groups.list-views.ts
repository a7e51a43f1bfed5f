import { Type } from 'typebox';
import { type PageRange, pageOf } from '../../../db/paginate.ts';
import type { BaseContext } from '../../../http/http.route.ts';
import { Enum } from '../../../http/http.schema.ts';
import { limitOffset } from '../../../http/listing.ts';
import { groupsByName } from './groups.keyset.ts';
import { type GroupBase, type GroupFilters, groupQuery } from './groups.list.ts';
import { presentGroups } from './groups.views.ts';

/** Parameters of keyset pagination. */
export const keysetParams = {
  pagination: Type.Optional(
    Enum(['legacy', 'keyset'], { description: '`keyset` is for anonymous callers ordering by name.' }),
  ),
  cursor: Type.Optional(Type.String({ maxLength: 2_000 })),
};

/** Answers a page of groups. */
export async function respondWithGroups(
  context: BaseContext,
  filters: GroupFilters & { pagination?: 'legacy' | 'keyset'; cursor?: string },
  base: GroupBase,
) {
  const { deps, caller } = context;
  const presentation = { statistics: filters.statistics, customAttributes: filters.with_custom_attributes };
  const query = await groupQuery(deps, caller, filters, base);
  const read =
    filters.pagination === 'keyset'
      ? groupsByName(query, caller, filters)
      : (page: PageRange) => {
          if (caller.user === null) limitOffset(page.offset + page.size, 'Group');
          return pageOf(deps.db, query, page);
        };
  return context.page(read, (rows) => presentGroups(deps, caller, rows, presentation));
}
