import type { Issue } from '../../db/tables/issues.table.ts';
import { ISSUABLES_AT_ONCE, issuablesRelation } from './issuables.relation.ts';
import type { Exporting } from './relation.ts';
import { nameUsers } from './relations.children.ts';

const USERS = ['author_id', 'closed_by_id', 'updated_by_id'] as const satisfies readonly (keyof Issue)[];

const attributesOf = (row: Issue) => ({
  id: row.id,
  iid: row.iid,
  title: row.title,
  description: row.description,
  author_id: row.author_id,
  state: row.state,
  issue_type: row.issue_type,
  confidential: row.confidential === 1,
  discussion_locked: row.discussion_locked === null ? null : row.discussion_locked === 1,
  weight: row.weight,
  severity: row.severity,
  health_status: row.health_status,
  start_date: row.start_date,
  due_date: row.due_date,
  relative_position: row.relative_position,
  time_estimate: row.time_estimate,
  closed_at: row.closed_at,
  closed_by_id: row.closed_by_id,
  updated_by_id: row.updated_by_id,
  created_at: row.created_at,
  updated_at: row.updated_at,
});

const read = ({ db, portable }: Exporting, after: number): Promise<Issue[]> =>
  db
    .selectFrom('issues')
    .selectAll()
    .where('project_id', '=', portable.id)
    .where('iid', '>', after)
    .orderBy('iid')
    .limit(ISSUABLES_AT_ONCE)
    .execute();

/** Issues with notes, events and other associations, in the order of iids. */
export const issues = issuablesRelation('issues', 'Issue', read, (exporting, row, { assignees, ...rest }) => {
  nameUsers(exporting, row, USERS);
  return { ...attributesOf(row), issue_assignees: assignees, ...rest };
});
