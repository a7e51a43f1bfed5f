import { timestamp } from '../../core/clock.ts';
import { type FieldErrors, invalidModel } from '../../core/core.errors.ts';
import type { Db } from '../../db/db.schema.ts';
import type { Project } from '../../db/tables/projects.table.ts';
import type { PullMirror } from '../../db/tables/pull-mirrors.table.ts';
import type { Deps } from '../../deps.ts';
import { BlockedAddress } from '../../outbound/outbound.resolve.ts';
import { type AddressChange, changedAddress } from '../changed-address.ts';
import { branchPatternErrors } from '../mirroring.branch-filter.ts';
import { importUrlOf, storedImportUrl } from '../stored-address.ts';
import { hasFailedTooOften, requestUpdates, UPDATE_PULL_MIRROR } from './pull-mirror.schedule.ts';
import { type MirrorSettings, mirrorSettings } from './pull-mirror.settings.ts';

/** Requested settings of a pull mirror; absent properties stay unchanged. */
export interface PullMirrorInput extends AddressChange, Partial<Omit<MirrorSettings, 'mirror_user_id'>> {}

export interface PullMirrorChange {
  import_url: Project['import_url'];
  settings: Partial<MirrorSettings>;
  /** Whether an address was given: the host keys are then learned again. */
  newAddress: boolean;
}

/**
 * Computes the change of a project's row for a request. Must be called with the row read in the transaction that
 * changes it. Stored secrets are kept only for the same repository and protocol.
 * @param userId caller, in whose name and with whose rights updates run from now on
 * @param field name of the address in errors
 * @throws ApiError 400
 */
export function pullMirrorChange(
  deps: Pick<Deps, 'secrets'>,
  project: Pick<Project, 'import_url' | 'settings'>,
  input: PullMirrorInput,
  userId: number,
  field = 'unsafe_import_url',
): PullMirrorChange {
  const { url, user, password, ...attributes } = input;
  const before = mirrorSettings(project);
  const settings = Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
  const after: MirrorSettings = { ...before, ...settings };
  const import_url = storedImportUrl(deps, project, addressAfter(importUrlOf(deps, project), input, field));
  const errors: FieldErrors = {};
  const pattern = branchPatternErrors(input.mirror_branch_regex);
  if (pattern.length > 0) errors.mirror_branch_regex = pattern;
  if (after.mirror && import_url === null) errors.import_url = ["can't be blank"];
  if (after.only_mirror_protected_branches && after.mirror_branch_regex) {
    // Setting one option clears the other, but a pattern must be allowed first.
    if (input.mirror_branch_regex) errors.mirror_branch_regex = ['needs only_mirror_protected_branches to be false'];
    else after.mirror_branch_regex = null;
  }
  if (Object.keys(errors).length > 0) throw invalidModel(errors);
  return {
    import_url,
    settings: { ...after, mirror_user_id: after.mirror ? userId : null },
    newAddress: url !== undefined,
  };
}

function addressAfter(stored: string | null, input: PullMirrorInput, field: string): string | null {
  try {
    return changedAddress(stored, input);
  } catch (error) {
    if (error instanceof BlockedAddress) throw invalidModel({ [field]: [error.message] });
    throw error;
  }
}

/**
 * Records changed settings of a project's mirror and schedules an update if it is enabled.
 * @param db the handle of the transaction that has changed the project's row
 */
export async function savePullMirror(
  deps: Deps,
  db: Db,
  project: Pick<Project, 'id' | 'settings'>,
  { newAddress }: Pick<PullMirrorChange, 'newAddress'>,
): Promise<PullMirror> {
  await insertPullMirror(deps, db, project.id, newAddress);
  if (mirrorSettings(project).mirror) await requestUpdates(deps, db, [project.id]);
  else await cancelUpdate(deps, db, project.id);
  return db.selectFrom('pull_mirrors').selectAll().where('project_id', '=', project.id).executeTakeFirstOrThrow();
}

/**
 * Records that a project has a mirror or new mirror settings, without known state of the other side.
 * @param newAddress whether to learn the host keys again
 */
export async function insertPullMirror(deps: Deps, db: Db, projectId: number, newAddress: boolean): Promise<void> {
  const now = timestamp(deps.clock);
  const fresh = {
    next_update_at: null,
    failures: 0,
    settled: null,
    updated_at: now,
    ...(newAddress ? { host_keys: null } : {}),
  };
  await db
    .insertInto('pull_mirrors')
    .values({
      project_id: projectId,
      last_error: null,
      last_update_started_at: null,
      last_update_at: null,
      last_successful_update_at: null,
      created_at: now,
      host_keys: null,
      ...fresh,
    })
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet(fresh))
    .execute();
}

/** Cancels a pending update. */
async function cancelUpdate(deps: Deps, db: Db, projectId: number): Promise<void> {
  await deps.jobs.cancel(db, UPDATE_PULL_MIRROR, projectId);
  await db
    .updateTable('projects')
    .set({ import_status: 'canceled' })
    .where('id', '=', projectId)
    .where('import_status', 'in', ['scheduled', 'started'])
    .where('repository_read_only', '=', 0)
    .execute();
}

/**
 * Starts an update of a project's mirror.
 * @param by a person also restarts a mirror that has failed too often, a push event of another server does not
 * @returns `none` if the project has no mirror, `paused` if it has failed too often
 */
export async function updatePullMirrorNow(
  deps: Deps,
  db: Db,
  project: Pick<Project, 'id' | 'settings'>,
  by: 'person' | 'webhook',
): Promise<'requested' | 'none' | 'paused'> {
  if (!mirrorSettings(project).mirror) return 'none';
  if (by === 'webhook') {
    const row = await db
      .selectFrom('pull_mirrors')
      .select('failures')
      .where('project_id', '=', project.id)
      .executeTakeFirst();
    if (row !== undefined && hasFailedTooOften(row.failures)) return 'paused';
  } else {
    await db.updateTable('pull_mirrors').set({ failures: 0 }).where('project_id', '=', project.id).execute();
  }
  await requestUpdates(deps, db, [project.id]);
  return 'requested';
}
