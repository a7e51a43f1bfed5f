import { type Static, Type } from 'typebox';
import type { Issue } from '../../../db/tables/issues.table.ts';
import { Day, Enum, Instant, List, Nullable, ofPlan } from '../../../http/http.schema.ts';
import { ISSUE_TYPES } from './issues.responses.ts';

export const IssueParams = Type.Object({ issue_iid: Type.Integer() });

const attributes = {
  description: Type.Optional(Nullable(Type.String())),
  assignee_ids: Type.Optional(
    Nullable(
      List(Type.Integer(), {
        maxItems: 200,
        description: 'Ids of the assignees; 0 or empty for none.',
        ...ofPlan('premium', 1),
      }),
    ),
  ),
  assignee_id: Type.Optional(Nullable(Type.Integer({ description: 'Id of the only assignee; 0 for none.' }))),
  milestone_id: Type.Optional(Nullable(Type.Integer({ description: 'Id of the milestone; 0 or empty for none.' }))),
  labels: Type.Optional(
    Nullable(List(Type.String(), { maxItems: 100, description: 'Names of labels; unknown labels are created.' })),
  ),
  add_labels: Type.Optional(List(Type.String(), { maxItems: 100 })),
  remove_labels: Type.Optional(List(Type.String(), { maxItems: 100 })),
  due_date: Type.Optional(Nullable(Day())),
  confidential: Type.Optional(Type.Boolean()),
  discussion_locked: Type.Optional(Type.Boolean()),
  issue_type: Type.Optional(Enum(ISSUE_TYPES)),
  weight: Type.Optional(Nullable(Type.Integer(ofPlan('premium')))),
  created_at: Type.Optional(Instant({ description: 'Owners and administrators only.' })),
};

export const CreateIssue = Type.Object({
  title: Type.Optional(
    Type.String({ description: 'Required unless `merge_request_to_resolve_discussions_of` is given.' }),
  ),
  merge_request_to_resolve_discussions_of: Type.Optional(
    Type.Integer({
      description:
        'Number of a merge request whose open threads are resolved; the default title and description refer to them.',
    }),
  ),
  discussion_to_resolve: Type.Optional(
    Type.String({ description: 'Id of the only thread to resolve in that merge request.' }),
  ),
  ...attributes,
  iid: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'Owners and administrators only.' }),
  ),
});

export const UpdateIssue = Type.Object({
  title: Type.Optional(Type.String()),
  ...attributes,
  state_event: Type.Optional(Enum(['close', 'reopen'])),
  updated_at: Type.Optional(Instant({ description: 'Owners and administrators only.' })),
});

/** Attributes of an issue at creation or update. */
export type IssueInput = Static<typeof UpdateIssue> & {
  iid?: number;
  /** Set by quick actions only. */
  severity?: Issue['severity'];
  health_status?: string | null;
};

/** An update must have at least one attribute. */
export const UPDATE_RULES = { atLeastOne: [Object.keys(UpdateIssue.properties)] };
