import type { Writer } from '../importing.ts';
import { day, flag, integer, oneOf, text } from '../take.ts';
import { issuableColumns, joined, milestonesFor, passNumbers, writeBelongings } from './issuables.ts';

/** Issues with all that belongs to them. */
export const issueWriter: Writer = {
  atOnce: 50,
  async write(importing, db, given) {
    const milestones = await milestonesFor(importing, db, given);
    const rows = await db
      .insertInto('issues')
      .values(
        given.map((each) => ({
          ...issuableColumns(importing, each, milestones),
          state: oneOf(each.state, ['opened', 'closed']),
          issue_type: oneOf(each.issue_type, ['issue', 'incident', 'test_case', 'requirement', 'task', 'ticket']),
          confidential: flag(each.confidential),
          weight: integer(each.weight),
          severity: oneOf(each.severity, ['UNKNOWN', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL']),
          health_status: text(each.health_status, 50),
          start_date: day(each.start_date),
          due_date: day(each.due_date),
          relative_position: integer(each.relative_position, -2_147_483_648),
          moved_to_id: null,
          duplicated_to_id: null,
        })),
      )
      .returning(['id', 'iid'])
      .execute();
    await passNumbers(importing, db, 'issues', given);
    await writeBelongings(importing, db, 'Issue', joined(rows, given), 'issue_assignees');
  },
};
