import type { Caller } from '../../../access/caller.ts';
import { invalidParameter } from '../../../core/core.errors.ts';
import type { Issue } from '../../../db/tables/issues.table.ts';
import type { Deps } from '../../../deps.ts';
import { readCursor, writeCursor } from '../../../http/http.cursor.ts';
import { byKeyset, keysetUnavailable, type ReadPage } from '../../../http/listing.ts';
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
 * Reads issues by keyset.
 * @throws ApiError 405 for an order without keyset pagination, 400 for an invalid cursor
 */
export async function issuesByKeyset(
  deps: Deps,
  caller: Caller,
  scope: IssueListScope,
  input: IssueFilters & { cursor?: string },
): Promise<ReadPage<Issue[]>> {
  const { order_by: column = 'created_at', cursor: text } = input;
  if (!isColumn(column)) throw keysetUnavailable();
  const selection = await selectIssues(deps, caller, scope, input);
  const [term] = selection.order;
  let query = keysetOrdered(deps.db.selectFrom('issues').selectAll('issues'), selection);
  if (text !== undefined && text !== '') {
    const cursor = readCursor(text);
    if (cursor.value !== null && typeof cursor.value !== COLUMNS[column]) throw invalidParameter('cursor is invalid');
    query = after(query, 'issues', term!, cursor);
  }
  return byKeyset(inOrder(query, 'issues', selection.order), (last, size) => ({
    cursor: writeCursor({ value: last[column], id: last.id }),
    per_page: size,
  }));
}
