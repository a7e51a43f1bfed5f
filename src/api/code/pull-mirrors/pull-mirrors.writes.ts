import type { UserCaller } from '../../../access/caller.ts';
import { revalidateProjectAbility } from '../../../access/caller-in-project.ts';
import { recordProjectChanges } from '../../../audit/projects.audit.ts';
import { timestamp } from '../../../core/clock.ts';
import { badRequest, invalidModel, recordNotFound, refused } from '../../../core/core.errors.ts';
import { projectFacts } from '../../../core/event-facts.ts';
import { parseJson } from '../../../db/columns.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { PullMirror } from '../../../db/tables/pull-mirrors.table.ts';
import type { Deps } from '../../../deps.ts';
import { checkRemote } from '../../../mirroring/mirroring.address.ts';
import { pullMirrorChange, savePullMirror, updatePullMirrorNow } from '../../../mirroring/pull/configure.ts';
import { mirrorSettings } from '../../../mirroring/pull/pull-mirror.settings.ts';
import { BlockedAddress } from '../../../outbound/outbound.resolve.ts';
import { lockProject } from '../../spaces/index.ts';
import type { PullMirrorEvent, PullMirrorUpdate } from './pull-mirrors.inputs.ts';

export const notMirrored = () => badRequest('The project is not mirrored');

/**
 * Configures pull mirroring of a project (part 1, section 4.12).
 * @throws ApiError 400 with errors by field, 401, 403, 404
 */
export async function changePullMirror(
  deps: Deps,
  caller: UserCaller,
  project: Project,
  input: PullMirrorUpdate,
): Promise<{ project: Project; row: PullMirror }> {
  const { url, enabled, auth_user, auth_password, ...rest } = input;
  if (url !== undefined && url !== '') await checkAddress(deps, url);
  return deps.db.transaction().execute(async (db) => {
    const { project: now } = await revalidateProjectAbility(deps, db, caller, project.id, 'admin_pull_mirror');
    const current = await lockProject(db, now.id);
    if (current === undefined) throw recordNotFound();
    const change = pullMirrorChange(
      deps,
      current,
      {
        ...rest,
        ...(enabled === undefined ? {} : { mirror: enabled }),
        ...(url === undefined ? {} : { url }),
        ...(auth_user === undefined ? {} : { user: auth_user }),
        ...(auth_password === undefined ? {} : { password: auth_password }),
      },
      caller.user.id,
    );
    const settings = JSON.stringify({ ...parseJson<object>(current.settings), ...change.settings });
    await db
      .updateTable('projects')
      .set({ import_url: change.import_url, settings, updated_at: timestamp(deps.clock) })
      .where('id', '=', current.id)
      .execute();
    const row = await savePullMirror(deps, db, { id: current.id, settings }, change);
    const changed = await db.selectFrom('projects').selectAll().where('id', '=', current.id).executeTakeFirstOrThrow();
    await recordProjectChanges(
      deps,
      db,
      { ...current, ...mirrorSettings(current) },
      { ...changed, ...mirrorSettings(changed) },
    );
    const about = { projectId: changed.id, actorId: caller.user.id };
    await deps.events.record(db, 'project.updated', { project_id: changed.id, project: projectFacts(changed) }, about);
    return { project: changed, row };
  });
}

async function checkAddress(deps: Deps, url: string): Promise<void> {
  try {
    await checkRemote(deps, url);
  } catch (error) {
    if (error instanceof BlockedAddress) throw invalidModel({ unsafe_import_url: [error.message] });
    throw error;
  }
}

/** Actions of pull request events that may bring changes. */
const ACTIONS = ['opened', 'reopened', 'synchronize', 'closed'];

/** Whether the event of a pull request is complete and within one repository. */
function isProcessable({ action, pull_request }: PullMirrorEvent): boolean {
  const { number, head, base } = pull_request ?? {};
  const sides = [head, base];
  const whole = sides.every((side) => side?.ref && /^[0-9a-f]{40,64}$/.test(side.sha ?? '') && side.repo?.full_name);
  return (
    ACTIONS.includes(action ?? '') && number !== undefined && whole && head?.repo?.full_name === base?.repo?.full_name
  );
}

/**
 * Starts an update.
 * @param event event of the webhook of another host
 * @throws ApiError 400 if the project is not a pull mirror; 401; 403, also for webhooks after too many failures; 404;
 * 422 for an event that cannot be processed
 */
export async function startUpdate(
  deps: Deps,
  caller: UserCaller,
  project: Project,
  event: PullMirrorEvent,
  by: 'person' | 'webhook',
): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    const { project: now } = await revalidateProjectAbility(deps, db, caller, project.id, 'admin_pull_mirror');
    if (!mirrorSettings(now).mirror) throw notMirrored();
    if (event.pull_request !== undefined && !isProcessable(event)) {
      throw refused('The pull request event is not processable', 422);
    }
    const started = await updatePullMirrorNow(deps, db, now, by);
    if (started === 'none') throw notMirrored();
    if (started === 'paused') throw refused('Mirroring for the project is on pause', 403);
  });
}
