import type { UserCaller } from '../../../access/caller.ts';
import { revalidateProjectAbility } from '../../../access/caller-in-project.ts';
import { project, recordAudit } from '../../../audit/record.audit.ts';
import { timestamp } from '../../../core/clock.ts';
import { recordNotFound, refused } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';

import { changedSettings, settingsOf } from '../../spaces/index.ts';
import { countLinks } from './job-token-scope.queries.ts';

/** Maximum number of projects and groups on an allowlist. */
const MAX_LINKS = 200;

/** Project or group to add to or remove from the allowlist. */
export type AllowlistTarget = { target_project_id: number } | { target_group_id: number };

const kindOf = (target: AllowlistTarget) => ('target_project_id' in target ? 'project' : 'group');
const columnOf = (target: AllowlistTarget) => ('target_project_id' in target ? 'target_project_id' : 'target_group_id');
const idOf = (target: AllowlistTarget) =>
  'target_project_id' in target ? target.target_project_id : target.target_group_id;

/** Locks the row of the project and checks the rights of the caller again. @throws ApiError 403, 404 */
async function lock(deps: Deps, db: Db, caller: UserCaller, projectId: number): Promise<Pick<Project, 'settings'>> {
  const row = await db
    .updateTable('projects')
    .set((eb) => ({ path: eb.ref('path') }))
    .where('id', '=', projectId)
    .returning('settings')
    .executeTakeFirstOrThrow(recordNotFound);
  await revalidateProjectAbility(deps, db, caller, projectId, 'admin_job_token_scope');
  return row;
}

/** Limits the access of job tokens to the allowlist, or opens it to all projects. */
export function limitToList(deps: Deps, caller: UserCaller, projectId: number, limited: boolean): Promise<void> {
  return deps.db.transaction().execute(async (db) => {
    const current = await lock(deps, db, caller, projectId);
    const settings = changedSettings(current, { ci_inbound_job_token_scope_enabled: limited });
    await db.updateTable('projects').set({ settings }).where('id', '=', projectId).execute();
    if (settingsOf(current).ci_inbound_job_token_scope_enabled === limited) return;
    const action = limited ? 'enabled' : 'disabled';
    await recordAudit(deps, db, {
      name: `secure_ci_job_token_inbound_${action}`,
      entity: project(projectId),
      message: `Secure ci_job_token was ${action} for inbound`,
    });
  });
}

/** Adds a project or group to the allowlist. @throws ApiError 400 if it is already on it, or the list is full */
export function addLink(deps: Deps, caller: UserCaller, projectId: number, target: AllowlistTarget): Promise<void> {
  return deps.db.transaction().execute(async (db) => {
    await lock(deps, db, caller, projectId);
    const listed = await db
      .selectFrom('ci_job_token_links')
      .select('id')
      .where('source_project_id', '=', projectId)
      .where(columnOf(target), '=', idOf(target))
      .executeTakeFirst();
    const itself = 'target_project_id' in target && target.target_project_id === projectId;
    if (listed !== undefined || itself) {
      throw refused(`This ${kindOf(target)} is already in the job token allowlist.`);
    }
    if ((await countLinks(db, projectId)) >= MAX_LINKS) {
      throw refused(
        `Limit reached: the job token allowlist has at most ${MAX_LINKS} projects and groups. Remove one first.`,
      );
    }
    await db
      .insertInto('ci_job_token_links')
      .values({
        source_project_id: projectId,
        target_project_id: null,
        target_group_id: null,
        ...target,
        added_by_id: caller.user.id,
        created_at: timestamp(deps.clock),
      })
      .execute();
    await recordLink(deps, db, 'added', projectId, target);
  });
}

async function recordLink(deps: Deps, db: Db, action: 'added' | 'removed', projectId: number, target: AllowlistTarget) {
  const id = idOf(target);
  const table = 'target_project_id' in target ? 'projects' : 'namespaces';
  const row = await db.selectFrom(table).select('full_path').where('id', '=', id).executeTakeFirst();
  const path = row?.full_path ?? String(id);
  const what = kindOf(target) === 'project' ? 'Project' : 'Group';
  const into = action === 'added' ? 'added to' : 'removed from';
  await recordAudit(deps, db, {
    name: `secure_ci_job_token_${kindOf(target)}_${action}`,
    entity: project(projectId),
    target: { id, type: what, details: path },
    message: `${what} ${path} was ${into} inbound list of the job token scope`,
  });
}

/** Removes a project or group from the allowlist. @throws ApiError 400 if it is not on it */
export function removeLink(deps: Deps, caller: UserCaller, projectId: number, target: AllowlistTarget): Promise<void> {
  if ('target_project_id' in target && target.target_project_id === projectId) {
    throw refused('Source project cannot be removed from the job token scope');
  }
  return deps.db.transaction().execute(async (db) => {
    await lock(deps, db, caller, projectId);
    const { numDeletedRows } = await db
      .deleteFrom('ci_job_token_links')
      .where('source_project_id', '=', projectId)
      .where(columnOf(target), '=', idOf(target))
      .executeTakeFirst();
    if (numDeletedRows === 0n) throw refused(`Target ${kindOf(target)} is not in the job token scope`);
    await recordLink(deps, db, 'removed', projectId, target);
  });
}
