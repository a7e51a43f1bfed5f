import { type Static, Type } from 'typebox';
import { Enum, List, Nullable, optional } from '../../../../http/schema.ts';
import { UserBasic } from '../../../identity/index.ts';

export const MAX_APPROVALS = 100;
export const MAX_NAME = 1_024;
/** Users or groups that one call may name. */
const MAX_NAMED = 1_000;

/** A group as rules show it (part 1, section 2). */
export const RuleGroup = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  path: Type.String(),
  description: Type.String(),
  visibility: Type.String(),
  lfs_enabled: Type.Boolean(),
  avatar_url: Nullable(Type.String()),
  web_url: Type.String(),
  request_access_enabled: Type.Boolean(),
  full_name: Type.String(),
  full_path: Type.String(),
  parent_id: Nullable(Type.Integer()),
  ldap_cn: Nullable(Type.String()),
  ldap_access: Nullable(Type.Integer()),
});
export type RuleGroup = Static<typeof RuleGroup>;

const Level = Type.Object({ access_level: Nullable(Type.Integer()), access_level_description: Type.String() });

export const RuleBranch = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  push_access_levels: Type.Array(Level),
  merge_access_levels: Type.Array(Level),
  unprotect_access_levels: Type.Array(Level),
  code_owner_approval_required: Type.String({ description: '`true` or `false`, as text.' }),
});
export type RuleBranch = Static<typeof RuleBranch>;

const commonFields = {
  id: Type.Integer(),
  name: Type.String(),
  rule_type: Type.String({ description: '`regular`, `any_approver`, `report_approver` or `code_owner`.' }),
  report_type: Nullable(Type.String()),
  eligible_approvers: Type.Array(UserBasic, { description: 'Whoever may approve by this rule.' }),
  approvals_required: Type.Integer(),
  users: Type.Array(UserBasic),
  groups: Type.Array(RuleGroup, { description: 'Those that the caller may see.' }),
  contains_hidden_groups: Type.Boolean({ description: 'Whether there are others.' }),
};
export type CommonRule = Static<typeof CommonRule>;
export const CommonRule = Type.Object(commonFields);

/** Approval rule (part 1, section 2). */
export const ProjectRule = Type.Object({
  ...commonFields,
  protected_branches: Type.Array(RuleBranch),
  applies_to_all_protected_branches: Type.Boolean(),
});

const ownFields = {
  ...commonFields,
  section: Nullable(Type.String({ description: 'Of code owners: the section of CODEOWNERS.' })),
  source_rule: Nullable(Type.Object({ approvals_required: Type.Integer() })),
  overridden: Type.Boolean({
    description: "Whether the merge request has values of its own instead of the project's.",
  }),
};

/** Approval rule of a merge request (silent in the specification). */
export const MergeRequestRule = Type.Object(ownFields);

/** The same with where the merge request stands to it. */
export const RuleState = Type.Object({
  ...ownFields,
  code_owner: Type.Boolean(),
  approved_by: Type.Array(UserBasic),
  approved: Type.Boolean(),
});

const name = Type.String({ description: `At most ${MAX_NAME} characters.` });
const approvals_required = Type.Integer({ description: `From 0 to ${MAX_APPROVALS}.` });
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
    rule_type: Enum(['regular', 'any_approver', 'report_approver'], { description: 'Default `regular`.' }),
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
