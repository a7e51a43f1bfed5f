import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { Schema } from '../../../db/db.schema.ts';
import type { IssuableTable } from './issuables.filters.ts';

/** Common orders of lists of issues and merge requests. */
export const ISSUABLE_ORDERS = [
  'created_at',
  'updated_at',
  'title',
  'popularity',
  'priority',
  'label_priority',
  'milestone_due',
] as const;

/** A value to sort by; rows without it come last in both directions. */
export interface OrderTerm {
  value: RawBuilder<unknown>;
  /** Whether rows may lack it. */
  nullable: boolean;
  direction: 'asc' | 'desc';
}

const column = (table: IssuableTable, name: string): RawBuilder<unknown> => sql.ref(`${table}.${name}`);

/** Lowest priority number of the labels in the project of the row. */
function labelPriority(table: IssuableTable): RawBuilder<unknown> {
  const type = table === 'issues' ? 'Issue' : 'MergeRequest';
  return sql`(select min(lp.priority) from issuable_labels il
    join label_priorities lp on lp.label_id = il.label_id and lp.project_id = ${column(table, 'project_id')}
    where il.issuable_type = ${type} and il.issuable_id = ${column(table, 'id')})`;
}

const milestoneDue = (table: IssuableTable): RawBuilder<unknown> =>
  sql`(select ms.due_date from milestones ms where ms.id = ${column(table, 'milestone_id')})`;

/** Sort values of an `order_by` parameter; other words are names of columns that are never null. */
export function orderTerms(table: IssuableTable, orderBy: string, direction: 'asc' | 'desc'): OrderTerm[] {
  const term = (value: RawBuilder<unknown>, nullable: boolean): OrderTerm => ({ value, nullable, direction });
  switch (orderBy) {
    case 'popularity':
      return [term(column(table, 'upvotes'), false)];
    case 'label_priority':
      return [term(labelPriority(table), true)];
    case 'milestone_due':
      return [term(milestoneDue(table), true)];
    case 'priority':
      return [term(milestoneDue(table), true), term(labelPriority(table), true)];
    default:
      return [term(column(table, orderBy), NULLABLE.has(orderBy))];
  }
}

const NULLABLE: ReadonlySet<string> = new Set(['due_date', 'weight', 'relative_position', 'merged_at', 'closed_at']);

/** Orders a query; the id makes the order total. */
export function inOrder<TB extends keyof Schema, O>(
  query: SelectQueryBuilder<Schema, TB, O>,
  table: IssuableTable,
  terms: readonly OrderTerm[],
): SelectQueryBuilder<Schema, TB, O> {
  let sorted = query;
  for (const { value, nullable, direction } of terms) {
    sorted = sorted.orderBy(value, (by) => {
      const directed = direction === 'asc' ? by.asc() : by.desc();
      return nullable ? directed.nullsLast() : directed;
    });
  }
  return sorted.orderBy(column(table, 'id'), terms[0]?.direction ?? 'desc');
}
