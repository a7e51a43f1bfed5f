import { type Static, Type } from 'typebox';
import { Dialectal } from '../../../../http/dialect.ts';
import { Nullable } from '../../../../http/http.schema.ts';
import { UserBasic } from '../../../identity/index.ts';

/** A group in an approval rule (part 1, section 2). */
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
  code_owner_approval_required: Dialectal<string | boolean>('code_owner_approval_required'),
});
export type RuleBranch = Static<typeof RuleBranch>;

const commonFields = {
  id: Type.Integer(),
  name: Type.String(),
  rule_type: Type.String({ description: '`regular`, `any_approver`, `report_approver` or `code_owner`.' }),
  report_type: Nullable(Type.String()),
  eligible_approvers: Type.Array(UserBasic, { description: 'Users who may approve by this rule.' }),
  approvals_required: Type.Integer(),
  users: Type.Array(UserBasic),
  groups: Type.Array(RuleGroup, { description: 'Groups that the caller may see.' }),
  contains_hidden_groups: Type.Boolean({ description: 'Whether there are groups that the caller may not see.' }),
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
  section: Nullable(Type.String({ description: 'Section of CODEOWNERS, for code owner rules.' })),
  source_rule: Nullable(Type.Object({ approvals_required: Type.Integer() })),
  overridden: Type.Boolean({
    description: 'Whether the merge request overrides the rule of the project.',
  }),
};

/** Approval rule of a merge request (silent in the specification). */
export const MergeRequestRule = Type.Object(ownFields);

/** As `MergeRequestRule`, with the state of the merge request. */
export const RuleState = Type.Object({
  ...ownFields,
  code_owner: Type.Boolean(),
  approved_by: Type.Array(UserBasic),
  approved: Type.Boolean(),
});
