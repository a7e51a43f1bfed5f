import type { Caller } from '../../../../access/caller.ts';
import { forbidden } from '../../../../core/core.errors.ts';
import type { Project } from '../../../../db/tables/projects.table.ts';
import type { Deps } from '../../../../deps.ts';
import { type ProjectSettings, settingsOf } from '../../../spaces/index.ts';

type WithSettings = Pick<Deps, 'settings'>;

/** Project settings that administrators can enforce: application setting and enforced value. */
const DECIDED = {
  merge_requests_author_approval: ['prevent_merge_requests_author_approval', false],
  merge_requests_disable_committers_approval: ['prevent_merge_requests_committers_approval', true],
  disable_overriding_approvers_per_merge_request: ['disable_overriding_approvers_per_merge_request', true],
} as const;
type Decided = keyof typeof DECIDED;

/** The enforced approval settings, with their values. */
export function isSettingEnforced({ settings }: WithSettings): Partial<Pick<ProjectSettings, Decided>> {
  const entries = Object.entries(DECIDED).filter(([, [setting]]) => settings.now[setting]);
  return Object.fromEntries(entries.map(([name, [, value]]) => [name, value]));
}

/** The effective settings of a project for approvals: enforced values take precedence over its own. */
export const effectiveApprovalSettings = (deps: WithSettings, project: Pick<Project, 'settings'>): ProjectSettings => ({
  ...settingsOf(project),
  ...isSettingEnforced(deps),
});

/** @throws ApiError 403 if only administrators may change approval rules of projects */
export function requireChangeableRules({ settings }: WithSettings, { admin }: Pick<Caller, 'admin'>): void {
  if (settings.now.disable_overriding_approvers_per_merge_request && !admin) throw forbidden();
}
