import { type Static, Type } from 'typebox';
import type { UserCaller } from '../../../../access/caller.ts';
import { revalidateProjectAbility } from '../../../../access/caller-in-project.ts';
import { recordProjectChanges } from '../../../../audit/projects.audit.ts';
import { timestamp } from '../../../../core/clock.ts';
import { invalidModel, recordNotFound } from '../../../../core/core.errors.ts';
import type { Project } from '../../../../db/tables/projects.table.ts';
import type { Deps } from '../../../../deps.ts';
import { optional } from '../../../../http/http.schema.ts';
import { changedSettings, type ProjectSettings, settingsOf } from '../../../spaces/index.ts';
import { MAX_APPROVALS } from './approvals.rule-inputs.ts';
import { effectiveApprovalSettings, isSettingEnforced } from './effective-settings.ts';

const flag = (description: string) => Type.Boolean({ description });

const shared = {
  reset_approvals_on_push: flag('New commits remove all approvals.'),
  selective_code_owner_removals: flag(
    'New commits remove the approvals of code owners of the changed files. Requires `reset_approvals_on_push` to be off.',
  ),
  disable_overriding_approvers_per_merge_request: flag('Merge requests cannot override approval rules.'),
  merge_requests_author_approval: flag('Authors may approve their own merge requests.'),
  merge_requests_disable_committers_approval: flag('Users who committed to a merge request may not approve it.'),
  require_password_to_approve: flag('Deprecated: the same as `require_reauthentication_to_approve`.'),
  require_reauthentication_to_approve: flag('Approving requires the password of the user.'),
};

/** Project approval configuration (part 1, section 2). */
export const ApprovalConfig = Type.Object({
  approvers: Type.Array(Type.Object({}), { description: 'Deprecated: always empty.' }),
  approver_groups: Type.Array(Type.Object({}), { description: 'Deprecated: always empty.' }),
  approvals_before_merge: Type.Integer({ description: 'Deprecated: use approval rules.' }),
  ...shared,
});
type ApprovalConfig = Static<typeof ApprovalConfig>;

export const ApprovalConfigInput = optional({
  approvals_before_merge: Type.Integer({
    minimum: 0,
    maximum: MAX_APPROVALS,
    description: 'Deprecated: use approval rules.',
  }),
  ...shared,
});
export type ApprovalConfigInput = Static<typeof ApprovalConfigInput>;

/** Project settings about approvals. */
export type ApprovalSettings = Pick<
  ProjectSettings,
  Exclude<keyof typeof shared, 'require_password_to_approve'> | 'approvals_before_merge'
>;

/** Presents the approval configuration. */
export async function presentConfig(deps: Deps, project: Project): Promise<ApprovalConfig> {
  const settings = effectiveApprovalSettings(deps, project);
  const any = await deps.db
    .selectFrom('approval_rules')
    .select('approvals_required')
    .where('project_id', '=', project.id)
    .where('merge_request_id', 'is', null)
    .where('rule_type', '=', 'any_approver')
    .executeTakeFirst();
  return {
    approvers: [],
    approver_groups: [],
    approvals_before_merge: Math.max(settings.approvals_before_merge, any?.approvals_required ?? 0),
    reset_approvals_on_push: settings.reset_approvals_on_push,
    selective_code_owner_removals: settings.selective_code_owner_removals,
    disable_overriding_approvers_per_merge_request: settings.disable_overriding_approvers_per_merge_request,
    merge_requests_author_approval: settings.merge_requests_author_approval,
    merge_requests_disable_committers_approval: settings.merge_requests_disable_committers_approval,
    require_password_to_approve: settings.require_reauthentication_to_approve,
    require_reauthentication_to_approve: settings.require_reauthentication_to_approve,
  };
}

/** The given settings. The newer name of re-authentication takes precedence over the deprecated one. */
export function settingsFrom({ require_password_to_approve: old, ...input }: ApprovalConfigInput) {
  const { require_reauthentication_to_approve: asked = old, ...rest } = input;
  const settings: Partial<ApprovalSettings> = { ...rest };
  if (asked !== undefined) settings.require_reauthentication_to_approve = asked;
  return settings;
}

/**
 * Changes the approval settings of a project. Settings that administrators enforce stay as they are.
 * @throws ApiError 400 if selective removal of code owners' approvals is combined with the reset of all approvals
 */
export async function changeApprovalSettings(
  deps: Deps,
  project: Project,
  caller: UserCaller,
  changes: Partial<ApprovalSettings>,
): Promise<Project> {
  return deps.db.transaction().execute(async (db) => {
    await revalidateProjectAbility(deps, db, caller, project.id, 'admin_approval_rules');
    // The empty update locks the row: settings are merged into the current ones.
    const current = await db
      .updateTable('projects')
      .set((eb) => ({ path: eb.ref('path') }))
      .where('id', '=', project.id)
      .returning(['settings'])
      .executeTakeFirstOrThrow(recordNotFound);
    const decided = isSettingEnforced(deps);
    const own = Object.fromEntries(Object.entries(changes).filter(([name]) => !(name in decided)));
    const settings = changedSettings(current, own);
    refuseContradiction(settingsOf({ settings }));
    if (changes.approvals_before_merge !== undefined) {
      await db
        .updateTable('approval_rules')
        .set({ approvals_required: changes.approvals_before_merge, updated_at: timestamp(deps.clock) })
        .where('project_id', '=', project.id)
        .where('merge_request_id', 'is', null)
        .where('rule_type', '=', 'any_approver')
        .execute();
    }
    const row = await db
      .updateTable('projects')
      .set({ settings, updated_at: timestamp(deps.clock) })
      .where('id', '=', project.id)
      .returningAll()
      .executeTakeFirstOrThrow();
    const [old, now] = [settingsOf(current), settingsOf(row)];
    await recordProjectChanges(deps, db, { id: project.id, ...old }, { id: project.id, ...now });
    await deps.events.record(
      db,
      'project.updated',
      { project_id: project.id },
      { projectId: project.id, actorId: caller.user.id },
    );
    return row;
  });
}

function refuseContradiction(settings: ProjectSettings): void {
  if (!settings.selective_code_owner_removals || !settings.reset_approvals_on_push) return;
  throw invalidModel({
    base: ['selective_code_owner_removals can only be enabled when reset_approvals_on_push is disabled'],
  });
}
