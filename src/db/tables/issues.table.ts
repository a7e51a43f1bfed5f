import type { Selectable } from 'kysely';
import type { Bit, Day, Defaulted } from '../columns.ts';
import type { Ownership } from '../ownership.ts';
import type { IssuableColumns } from './tables.kinds.ts';

export type IssueType = 'issue' | 'incident' | 'test_case' | 'requirement' | 'task' | 'ticket';

export interface IssuesTable extends IssuableColumns {
  state: Defaulted<'opened' | 'closed'>;
  issue_type: Defaulted<IssueType>;
  confidential: Defaulted<Bit>;
  weight: number | null;
  severity: Defaulted<'UNKNOWN' | 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL'>;
  health_status: string | null;
  start_date: Day | null;
  due_date: Day | null;
  relative_position: number | null;
  moved_to_id: number | null;
  duplicated_to_id: number | null;
}
export type Issue = Selectable<IssuesTable>;

export const issuesOwnership: Ownership<IssuesTable> = {
  called: 'Issue',
  plain: ['issue_type'],
};
