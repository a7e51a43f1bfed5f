import { type Expression, expressionBuilder, type SqlBool } from 'kysely';
import type { Schema } from '../db/db.schema.ts';
import type { Caller } from './caller.ts';

/** Condition on the issues of a project that a caller without `read_confidential_issues` may read. */
export function nonConfidentialIssues({ user }: Caller): Expression<SqlBool> {
  const eb = expressionBuilder<Schema, 'issues'>();
  const open = eb('issues.confidential', '=', 0);
  if (user === null) return open;
  return eb.or([open, eb('issues.author_id', '=', user.id), eb.exists(assignedTo(user.id))]);
}

/** Condition on issues assigned to a user. */
export const assignedTo = (userId: number) =>
  expressionBuilder<Schema, 'issues'>()
    .selectFrom('issuable_assignees')
    .select('issuable_assignees.user_id')
    .where('issuable_assignees.issuable_type', '=', 'Issue')
    .whereRef('issuable_assignees.issuable_id', '=', 'issues.id')
    .where('issuable_assignees.user_id', '=', userId);
