import type { Caller } from '../../../access/caller.ts';
import { ApiError, invalidParameter } from '../../../core/core.errors.ts';
import type { Issue } from '../../../db/tables/issues.table.ts';
import type { Deps } from '../../../deps.ts';
import { readCursor, writeCursor } from '../../../http/http.cursor.ts';
import { after } from '../issuables/issuables.keyset.ts';
import { inOrder } from '../issuables/issuables.order.ts';
import { keysetOrdered } from '../issuables/issuables.page.ts';
import type { IssueFilters } from './issues.filter-inputs.ts';
import { type IssueListScope, selectIssues } from './issues.list.ts';

/** Columns for keyset pagination, with the types of their values. */
const COLUMNS = {
  created_at: 'string',
  updated_at: 'string',
  title: 'string',
  due_date: 'string',
  weight: 'number',
  relative_position: 'number',
} as const;

const isColumn = (name: string): name is keyof typeof COLUMNS => Object.hasOwn(COLUMNS, name);

/**
 * A keyset page of issues.
 * @returns `next`: parameters of the next page, null at the end
 * @throws ApiError 405 for an order without keyset pagination, 400 for an invalid cursor
 */
export async function keysetPage(
  deps: Deps,
  caller: Caller,
  scope: IssueListScope,
  input: IssueFilters & { cursor?: string },
  size: number,
): Promise<{ rows: Issue[]; next: Record<string, string | number> | null }> {
  const { order_by: column = 'created_at', cursor: text } = input;
  if (!isColumn(column)) {
    const refusal = 'Keyset pagination is not yet available for this type of request';
    throw new ApiError(405, refusal, { error: refusal });
  }
  const selection = await selectIssues(deps, caller, scope, input);
  const [term] = selection.order;
  let query = keysetOrdered(deps.db.selectFrom('issues').selectAll('issues'), selection);
  if (text !== undefined && text !== '') {
    const cursor = readCursor(text);
    if (cursor.value !== null && typeof cursor.value !== COLUMNS[column]) throw invalidParameter('cursor is invalid');
    query = after(query, 'issues', term!, cursor);
  }
  const rows = await inOrder(query, 'issues', selection.order)
    .limit(size + 1)
    .execute();
  const shown = rows.slice(0, size);
  const last = shown.at(-1);
  if (rows.length <= size || last === undefined) return { rows: shown, next: null };
  return { rows: shown, next: { cursor: writeCursor({ value: last[column], id: last.id }), per_page: size } };
}
