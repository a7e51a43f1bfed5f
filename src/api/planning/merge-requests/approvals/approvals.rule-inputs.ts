import { type Static, Type } from 'typebox';
import { Enum, List, optional } from '../../../../http/http.schema.ts';

export const MAX_APPROVALS = 100;

export const MAX_NAME = 1_024;

/** Maximum number of users or groups in a request. */
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
  applies_to_all_protected_branches: Type.Boolean({ description: 'Takes precedence over `protected_branch_ids`.' }),
};

const remove_hidden_groups = Type.Boolean({
  default: false,
  description: 'Also removes groups that the caller may not see.',
});

export const CreateProjectRule = Type.Object({
  name,
  approvals_required,
  ...optional({
    rule_type: Enum(['regular', 'any_approver', 'report_approver'], {
      description:
        'Defaults to `regular`, or to `any_approver` if neither users nor groups are given. A project has at most one `any_approver` rule.',
    }),
    report_type: Enum(['code_coverage', 'license_scanning'], { description: 'Report of a `report_approver` rule.' }),
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
      description: 'Id of a project rule whose name, users and groups are copied.',
    }),
    ...approvers,
  }).properties,
});
export type CreateMergeRequestRule = Static<typeof CreateMergeRequestRule>;

export const UpdateMergeRequestRule = optional({ name, approvals_required, ...approvers, remove_hidden_groups });
export type UpdateMergeRequestRule = Static<typeof UpdateMergeRequestRule>;
