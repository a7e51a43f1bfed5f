import { timestamp } from '../../core/clock.ts';
import type { Db } from '../../db/db.schema.ts';
import type { Project } from '../../db/tables/projects.table.ts';
import type { Deps } from '../../deps.ts';
import { isSilentMode } from '../../settings/silent-mode.ts';
import { type JobRun, MirrorChanged, mirrorFailureText } from '../mirroring.failure.ts';
import { leaseUntil, nextUpdate, requestUpdates } from './pull-mirror.schedule.ts';
import { mirrorSettings } from './pull-mirror.settings.ts';
import { type UpdateResult, updateFromRemote } from './update-from-remote.ts';

/** Delay in milliseconds while a project is being imported or moved, and in silent mode. */
const POSTPONED_MS = 60_000;

/**
 * Updates a project from its mirror source and records the result. Errors unrelated to the mirror are thrown, so that
 * the job is retried.
 */
export async function updatePullMirror(deps: Deps, projectId: number, run: JobRun): Promise<void> {
  const project = await begin(deps, projectId);
  if (project === null) return;
  let followed: Pick<UpdateResult, 'failure' | 'note'> & { settled?: string | null };
  try {
    followed = await updateFromRemote(deps, project, run.signal);
  } catch (error) {
    if (error instanceof MirrorChanged) return;
    const failure = mirrorFailureText(deps, error, run);
    if (failure === null) throw error;
    followed = { failure, note: null };
  }
  await deps.db.transaction().execute((db) => end(deps, db, project, followed));
  const { failure, note } = followed;
  if (failure !== null)
    deps.log.log('info', 'a pull mirror could not be updated', { project_id: projectId, reason: failure });
  else if (note !== null)
    deps.log.log('info', 'LFS objects of a pull mirror are missing', { project_id: projectId, reason: note });
}

/** Records the start of an update. @returns null if there is nothing to do */
function begin(deps: Deps, projectId: number): Promise<Project | null> {
  return deps.db.transaction().execute(async (db) => {
    const project = await db
      .selectFrom('projects')
      .selectAll()
      .where('id', '=', projectId)
      .where('pending_delete', '=', 0)
      .executeTakeFirst();
    if (project === undefined || !mirrorSettings(project).mirror || project.import_url === null) return null;
    const now = deps.clock.now();
    const busy = project.repository_read_only === 1 || isSilentMode(deps);
    const later = new Date(now.getTime() + POSTPONED_MS).toISOString();
    await db
      .updateTable('pull_mirrors')
      .set(
        busy
          ? { next_update_at: later }
          : { next_update_at: leaseUntil(now), last_update_started_at: now.toISOString() },
      )
      .where('project_id', '=', projectId)
      .execute();
    if (busy) return null;
    await db.updateTable('projects').set({ import_status: 'started' }).where('id', '=', projectId).execute();
    return project;
  });
}

/**
 * Records the end of an update.
 * @param project as of the start of the update
 * @param followed without `state` if it stays unchanged
 */
async function end(
  deps: Deps,
  db: Db,
  project: Project,
  { failure, note, settled: state }: Pick<UpdateResult, 'failure' | 'note'> & { settled?: string | null },
): Promise<void> {
  const row = await db
    .selectFrom('pull_mirrors')
    .innerJoin('projects', 'projects.id', 'pull_mirrors.project_id')
    .select(['failures', 'settings', 'import_url'])
    .where('project_id', '=', project.id)
    .executeTakeFirst();
  if (row === undefined) return;
  const now = timestamp(deps.clock);
  const failures = failure === null ? 0 : row.failures + 1;
  const on = mirrorSettings(row).mirror;
  // If the settings have changed meanwhile, the state is not kept.
  const same = row.import_url === project.import_url && row.settings === project.settings;
  await db
    .updateTable('pull_mirrors')
    .set({
      failures,
      ...(state === undefined || !same ? {} : { settled: state }),
      last_error: failure ?? note,
      last_update_at: now,
      ...(failure === null ? { last_successful_update_at: now } : {}),
      next_update_at: on ? nextUpdate(deps.clock.now(), failures) : null,
      updated_at: now,
    })
    .where('project_id', '=', project.id)
    .execute();
  await db
    .updateTable('projects')
    .set({ import_status: failure === null ? 'finished' : 'failed', import_error: failure })
    .where('id', '=', project.id)
    .execute();
}

/**
 * Records the import of a new project from its mirror source as its first update. The next one fetches nothing, but
 * records the state of the other side.
 */
export async function recordFilled(deps: Deps, db: Db, projectId: number): Promise<void> {
  const now = timestamp(deps.clock);
  await db
    .updateTable('pull_mirrors')
    .set({ last_update_started_at: now, last_update_at: now, last_successful_update_at: now })
    .where('project_id', '=', projectId)
    .execute();
  await requestUpdates(deps, db, [projectId]);
}
