import { type Static, Type } from 'typebox';
import type { Project } from '../../../../db/tables/projects.table.ts';
import type { Deps } from '../../../../deps.ts';
import { route } from '../../../../http/http.route.ts';
import { Nullable, optional } from '../../../../http/http.schema.ts';
import { inProjectByUser } from '../../../api.access.ts';
import {
  ApprovalConfig,
  ApprovalConfigInput,
  type ApprovalSettings,
  changeApprovalSettings,
  presentConfig,
  settingsFrom,
} from './approvals.config.ts';
import { effectiveApprovalSettings, isSettingEnforced } from './effective-settings.ts';

const NAMES = Object.keys(ApprovalConfigInput.properties);
const SETTING_PATH = '/projects/:id/merge_request_approval_setting';

const Setting = Type.Object({
  value: Type.Boolean(),
  locked: Type.Boolean({ description: 'Whether administrators set the value for all projects.' }),
  inherited_from: Nullable(Type.String({ description: '`instance` if administrators set the value.' })),
});
const SETTINGS = [
  'allow_author_approval',
  'allow_committer_approval',
  'allow_overrides_to_approver_list_per_merge_request',
  'retain_approvals_on_push',
  'selective_code_owner_removals',
  'require_password_to_approve',
  'require_reauthentication_to_approve',
] as const;
type SettingName = (typeof SETTINGS)[number];

const every = <T>(value: (name: SettingName) => T) =>
  Object.fromEntries(SETTINGS.map((name) => [name, value(name)])) as Record<SettingName, T>;
const ApprovalSetting = Type.Object(every(() => Setting));
const ApprovalSettingInput = optional(every(() => Type.Boolean()));

function presentSetting(deps: Deps, project: Project) {
  const settings = effectiveApprovalSettings(deps, project);
  const decided = isSettingEnforced(deps);
  const locked: Partial<Record<SettingName, boolean>> = {
    allow_author_approval: 'merge_requests_author_approval' in decided,
    allow_committer_approval: 'merge_requests_disable_committers_approval' in decided,
    allow_overrides_to_approver_list_per_merge_request: 'disable_overriding_approvers_per_merge_request' in decided,
  };
  const values: Record<SettingName, boolean> = {
    allow_author_approval: settings.merge_requests_author_approval,
    allow_committer_approval: !settings.merge_requests_disable_committers_approval,
    allow_overrides_to_approver_list_per_merge_request: !settings.disable_overriding_approvers_per_merge_request,
    retain_approvals_on_push: !settings.reset_approvals_on_push,
    selective_code_owner_removals: settings.selective_code_owner_removals,
    require_password_to_approve: settings.require_reauthentication_to_approve,
    require_reauthentication_to_approve: settings.require_reauthentication_to_approve,
  };
  return every((name) => ({
    value: values[name],
    locked: locked[name] === true,
    inherited_from: locked[name] === true ? 'instance' : null,
  }));
}

/** Converts the newer parameters, which allow, to settings, which forbid. */
function settingsFromAllowed(input: Static<typeof ApprovalSettingInput>): Partial<ApprovalSettings> {
  const not = (value: boolean | undefined) => (value === undefined ? undefined : !value);
  const attributes: Static<typeof ApprovalConfigInput> = {
    merge_requests_author_approval: input.allow_author_approval,
    merge_requests_disable_committers_approval: not(input.allow_committer_approval),
    disable_overriding_approvers_per_merge_request: not(input.allow_overrides_to_approver_list_per_merge_request),
    reset_approvals_on_push: not(input.retain_approvals_on_push),
    selective_code_owner_removals: input.selective_code_owner_removals,
    require_password_to_approve: input.require_password_to_approve,
    require_reauthentication_to_approve: input.require_reauthentication_to_approve,
  };
  return settingsFrom(Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined)));
}

export const approvalConfigRoutes = [
  route({
    method: 'GET',
    path: '/projects/:id/approvals',
    plan: 'premium',
    summary: 'Get the approval configuration of a project',
    access: inProjectByUser('read_approval_config'),
    success: { status: 200, schema: ApprovalConfig },
    handler: ({ deps, project }) => presentConfig(deps, project),
  }),
  route({
    method: 'POST',
    path: '/projects/:id/approvals',
    operationId: 'updateProjectApprovals',
    plan: 'premium',
    summary: 'Change the approval configuration of a project',
    access: inProjectByUser('admin_approval_rules'),
    input: ApprovalConfigInput,
    rules: { atLeastOne: [NAMES] },
    success: { status: 201, schema: ApprovalConfig },
    handler: async ({ deps, project, caller, input }) => {
      const changed = await changeApprovalSettings(deps, project, caller, settingsFrom(input));
      return presentConfig(deps, changed);
    },
  }),
  route({
    method: 'GET',
    path: SETTING_PATH,
    plan: 'premium',
    summary: 'Get the approval settings of a project',
    access: inProjectByUser('read_approval_config'),
    success: { status: 200, schema: ApprovalSetting },
    handler: ({ deps, project }) => presentSetting(deps, project),
  }),
  route({
    method: 'PUT',
    path: SETTING_PATH,
    plan: 'premium',
    summary: 'Change the approval settings of a project',
    access: inProjectByUser('admin_approval_rules'),
    input: ApprovalSettingInput,
    rules: { atLeastOne: [[...SETTINGS]] },
    success: { status: 200, schema: ApprovalSetting },
    handler: async ({ deps, project, caller, input }) =>
      presentSetting(deps, await changeApprovalSettings(deps, project, caller, settingsFromAllowed(input))),
  }),
];
