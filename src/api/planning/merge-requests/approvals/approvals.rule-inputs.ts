import { type Static, Type } from 'typebox';
import { Enum, List, optional } from '../../../../http/http.schema.ts';

export const MAX_APPROVALS = 100;

export const MAX_NAME = 1_024;

/** Users or groups that one call may name. */
const MAX_NAMED = 1_000;

export const name = Type.String({ description: `At most ${MAX_NAME} characters.` });

export const approvals_required = Type.Integer({ description: `From 0 to ${MAX_APPROVALS}.` });

const approvers = {
  user_ids: List(Type.Integer(), { maxItems: MAX_NAMED }),
  usernames: List(Type.String(), { maxItems: MAX_NAMED }),
  group_ids: List(Type.Integer(), { maxItems: MAX_NAMED }),
};

const branches = {
  protected_branch_ids: List(Type.Integer(), { maxItems: MAX_NAMED, description: 'Ids of protected branches.' }),
  applies_to_all_protected_branches: Type.Boolean({ description: 'Wins over `protected_branch_ids`.' }),
};

const remove_hidden_groups = Type.Boolean({
  default: false,
  description: 'Also removes groups hidden from the caller.',
});

export const CreateProjectRule = Type.Object({
  name,
  approvals_required,
  ...optional({
    rule_type: Enum(['regular', 'any_approver', 'report_approver'], {
      description:
        'By default `regular`, and `any_approver` where neither users nor groups are named; a project has one of these.',
    }),
    report_type: Enum(['code_coverage', 'license_scanning'], { description: 'Of a rule of type `report_approver`.' }),
    ...approvers,
    ...branches,
  }).properties,
});
export type CreateProjectRule = Static<typeof CreateProjectRule>;

export const UpdateProjectRule = optional({
  name,
  approvals_required,
  ...approvers,
  ...branches,
  remove_hidden_groups,
});
export type UpdateProjectRule = Static<typeof UpdateProjectRule>;

export const CreateMergeRequestRule = Type.Object({
  name,
  approvals_required,
  ...optional({
    approval_project_rule_id: Type.Integer({
      description: "A project's rule, whose name, users and groups are copied.",
    }),
    ...approvers,
  }).properties,
});
export type CreateMergeRequestRule = Static<typeof CreateMergeRequestRule>;

export const UpdateMergeRequestRule = optional({ name, approvals_required, ...approvers, remove_hidden_groups });
export type UpdateMergeRequestRule = Static<typeof UpdateMergeRequestRule>;
