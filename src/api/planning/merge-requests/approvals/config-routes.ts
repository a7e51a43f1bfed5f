import { type Static, Type } from 'typebox';
import type { Project } from '../../../../db/tables/projects.ts';
import { route } from '../../../../http/route.ts';
import { Nullable, optional } from '../../../../http/schema.ts';
import { inProjectByUser } from '../../../access.ts';
import { settingsOf } from '../../../spaces/index.ts';
import {
  ApprovalConfig,
  ApprovalConfigInput,
  type ApprovalSettings,
  changeApprovalSettings,
  presentConfig,
  settingsFrom,
} from './config.ts';

const NAMES = Object.keys(ApprovalConfigInput.properties);
const SETTING_PATH = '/projects/:id/merge_request_approval_setting';

const Setting = Type.Object({
  value: Type.Boolean(),
  locked: Type.Boolean({ description: 'Whether a group or the instance decides: never here.' }),
  inherited_from: Nullable(Type.String()),
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

function presentSetting(project: Project) {
  const settings = settingsOf(project);
  const values: Record<SettingName, boolean> = {
    allow_author_approval: settings.merge_requests_author_approval,
    allow_committer_approval: !settings.merge_requests_disable_committers_approval,
    allow_overrides_to_approver_list_per_merge_request: !settings.disable_overriding_approvers_per_merge_request,
    retain_approvals_on_push: !settings.reset_approvals_on_push,
    selective_code_owner_removals: settings.selective_code_owner_removals,
    require_password_to_approve: settings.require_reauthentication_to_approve,
    require_reauthentication_to_approve: settings.require_reauthentication_to_approve,
  };
  return every((name) => ({ value: values[name], locked: false, inherited_from: null }));
}

/** The newer names say what is allowed, the older ones what is not. */
function settingsFromAllowed(input: Static<typeof ApprovalSettingInput>): Partial<ApprovalSettings> {
  const not = (value: boolean | undefined) => (value === undefined ? undefined : !value);
  const given: Static<typeof ApprovalConfigInput> = {
    merge_requests_author_approval: input.allow_author_approval,
    merge_requests_disable_committers_approval: not(input.allow_committer_approval),
    disable_overriding_approvers_per_merge_request: not(input.allow_overrides_to_approver_list_per_merge_request),
    reset_approvals_on_push: not(input.retain_approvals_on_push),
    selective_code_owner_removals: input.selective_code_owner_removals,
    require_password_to_approve: input.require_password_to_approve,
    require_reauthentication_to_approve: input.require_reauthentication_to_approve,
  };
  return settingsFrom(Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)));
}

export const approvalConfigRoutes = [
  route({
    method: 'GET',
    path: '/projects/:id/approvals',
    plan: 'premium',
    summary: 'Get how a project wants merge requests to be approved',
    access: inProjectByUser('read_approval_config'),
    success: { status: 200, schema: ApprovalConfig },
    handler: ({ deps, project }) => presentConfig(deps.db, project),
  }),
  route({
    method: 'POST',
    path: '/projects/:id/approvals',
    operationId: 'updateProjectApprovals',
    plan: 'premium',
    summary: 'Change how a project wants merge requests to be approved',
    access: inProjectByUser('admin_approval_rules'),
    input: ApprovalConfigInput,
    rules: { atLeastOne: [NAMES] },
    success: { status: 201, schema: ApprovalConfig },
    handler: async ({ deps, project, caller, input }) => {
      const changed = await changeApprovalSettings(deps, project, caller, settingsFrom(input));
      return presentConfig(deps.db, changed);
    },
  }),
  route({
    method: 'GET',
    path: SETTING_PATH,
    plan: 'premium',
    summary: 'Get the approval settings of a project',
    access: inProjectByUser('read_approval_config'),
    success: { status: 200, schema: ApprovalSetting },
    handler: ({ project }) => presentSetting(project),
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
      presentSetting(await changeApprovalSettings(deps, project, caller, settingsFromAllowed(input))),
  }),
];
