import type { Updateable } from 'kysely';
import { type FieldErrors, invalidModel } from '../../../core/core.errors.ts';
import { bit } from '../../../db/columns.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { IssuesTable } from '../../../db/tables/issues.table.ts';
import type { Milestone } from '../../../db/tables/milestones.table.ts';
import type { IssuableTarget } from '../issuables/issuables.target.ts';
import { findMilestoneFor } from '../milestones/milestones.find.ts';
import type { IssueInput } from './issues.inputs.ts';
import type { IssueRights } from './issues.rights.ts';

const MAX_TITLE = 255;
const MAX_DESCRIPTION = 1_048_576;

/** Validates attributes. @throws ApiError 400 with the errors by attribute */
export function checkAttributes({ title, description, weight }: IssueInput): void {
  const errors: FieldErrors = {};
  if (title !== undefined && title.trim() === '') errors.title = ["can't be blank"];
  else if (title !== undefined && [...title].length > MAX_TITLE) {
    errors.title = [`is too long (maximum is ${MAX_TITLE} characters)`];
  }
  if (description != null && description.length > MAX_DESCRIPTION) {
    errors.description = [`is too long (maximum is ${MAX_DESCRIPTION} characters)`];
  }
  if (weight != null && weight < 0) errors.weight = ['must be greater than or equal to 0'];
  if (weight != null && weight > 2_147_483_647) errors.weight = ['must be less than or equal to 2147483647'];
  if (Object.keys(errors).length > 0) throw invalidModel(errors);
}

/** Columns of the given attributes that the caller may set; others are ignored, as on the platform. */
export function columnsOf(input: IssueInput, rights: IssueRights, making: boolean): Updateable<IssuesTable> {
  const columns: Updateable<IssuesTable> = {};
  if (input.title !== undefined) columns.title = input.title.trim();
  if (input.description !== undefined) columns.description = input.description;
  if (input.confidential !== undefined && (rights.manage || making)) columns.confidential = bit(input.confidential);
  if (rights.backdate && input.created_at !== undefined) columns.created_at = input.created_at;
  if (!rights.manage) return columns;
  if (input.discussion_locked !== undefined) columns.discussion_locked = bit(input.discussion_locked);
  if (input.due_date !== undefined) columns.due_date = input.due_date;
  if (input.weight !== undefined) columns.weight = input.weight;
  if (input.issue_type !== undefined) columns.issue_type = input.issue_type;
  if (input.severity !== undefined) columns.severity = input.severity;
  if (input.health_status !== undefined) columns.health_status = input.health_status;
  return columns;
}

/** Ids of the requested assignees; undefined if absent or not allowed. */
export function assigneesOf({ assignee_id, assignee_ids }: IssueInput, rights: IssueRights): number[] | undefined {
  if (!rights.manage) return undefined;
  const assigneeIds = assignee_id === undefined ? assignee_ids : [assignee_id ?? 0];
  return assigneeIds === undefined ? undefined : (assigneeIds ?? []).filter((id) => id > 0);
}

/** The requested milestone, null for none or an unknown one; undefined if absent. */
export async function milestoneOf(
  db: Db,
  { project, namespace }: Pick<IssuableTarget, 'project' | 'namespace'>,
  { milestone_id }: IssueInput,
  rights: IssueRights,
): Promise<Milestone | null | undefined> {
  if (milestone_id === undefined || !rights.manage) return undefined;
  if (milestone_id === null || milestone_id === 0) return null;
  return (await findMilestoneFor(db, project, namespace, milestone_id)) ?? null;
}
