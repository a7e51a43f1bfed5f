import { coerceDay, coerceFlag, coerceInteger, coerceOneOf, coerceText } from '../coerce-import.ts';
import type { RelationWriter } from '../import-context.ts';
import { issuableColumns, joinRows, milestonesFor, reserveIids, writeAssociations } from './issuables.import.ts';

/** Imports issues with their associations. */
export const issueWriter: RelationWriter = {
  batchSize: 50,
  async write(context, db, object) {
    const milestones = await milestonesFor(context, db, object);
    const rows = await db
      .insertInto('issues')
      .values(
        object.map((each) => ({
          ...issuableColumns(context, each, milestones),
          state: coerceOneOf(each.state, ['opened', 'closed']),
          issue_type: coerceOneOf(each.issue_type, ['issue', 'incident', 'test_case', 'requirement', 'task', 'ticket']),
          confidential: coerceFlag(each.confidential),
          weight: coerceInteger(each.weight),
          severity: coerceOneOf(each.severity, ['UNKNOWN', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL']),
          health_status: coerceText(each.health_status, 50),
          start_date: coerceDay(each.start_date),
          due_date: coerceDay(each.due_date),
          relative_position: coerceInteger(each.relative_position, -2_147_483_648),
          moved_to_id: null,
          duplicated_to_id: null,
        })),
      )
      .returning(['id', 'iid'])
      .execute();
    await reserveIids(context, db, 'issues', object);
    await writeAssociations(context, db, 'Issue', joinRows(rows, object), 'issue_assignees');
  },
};
