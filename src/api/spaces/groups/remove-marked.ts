import { ApiError, conflict } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Deps } from '../../../deps.ts';
import { jobKind } from '../../../jobs/jobs.kinds.ts';
import { applicationSettings } from '../../../settings/application-settings.ts';
import { destroyProject } from '../projects/projects.destroy.ts';
import { destroyGroup } from './groups.destroy.ts';

const REMOVE_MARKED = jobKind<Record<string, never>>('remove-marked', { lane: 'slow', timeoutMs: 3_600_000 });
const DAY_MS = 86_400_000;
/** Groups or projects loaded at a time. */
const BATCH = 100;

/** Registers the daily deletion of marked groups and projects (at 00:00 UTC). */
export function registerRemovalOfMarked(deps: Deps): void {
  deps.jobs.every(REMOVE_MARKED, { dailyAt: '00:00' }, (_payload, { signal }) => removeMarked(deps, signal));
}

/** Latest day of marking whose delay is over. */
async function lastDueDay(deps: Deps): Promise<string> {
  const { deletion_adjourned_period: days } = await applicationSettings(deps);
  return new Date(deps.clock.now().getTime() - days * DAY_MS).toISOString().slice(0, 10);
}

async function removeMarked(deps: Deps, signal: AbortSignal): Promise<void> {
  const day = await lastDueDay(deps);
  const refuse: Refuse = async (_db, { marked_for_deletion_on: on }) => {
    if (on === null || on > day) throw conflict('The group was restored');
  };
  for (const table of ['namespaces', 'projects'] as const) {
    for (let last = 0; ; ) {
      const rows = await dueAfter(deps.db, table, day, last);
      for (const { id, marked_by_id: actorId } of rows) {
        signal.throwIfAborted();
        await passOverGone(() =>
          table === 'projects'
            ? destroyProjectOf(deps, id, actorId, refuse)
            : destroyGroupOf(deps, id, actorId, refuse),
        );
      }
      if (rows.length < BATCH) break;
      last = rows.at(-1)!.id;
    }
  }
}

const dueAfter = (db: Db, table: 'namespaces' | 'projects', day: string, id: number) =>
  db
    .selectFrom(table)
    .select(['id', 'marked_by_id'])
    .where('marked_for_deletion_on', 'is not', null)
    .where('marked_for_deletion_on', '<=', day)
    .where('id', '>', id)
    .orderBy('id')
    .limit(BATCH)
    .execute();

type Refuse = (db: Db, now: { marked_for_deletion_on: string | null }) => Promise<void>;

async function destroyProjectOf(deps: Deps, id: number, actorId: number | null, refuse: Refuse): Promise<void> {
  const project = await deps.db.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirst();
  if (project !== undefined) await destroyProject(deps, project, actorId, refuse);
}

async function destroyGroupOf(deps: Deps, id: number, actorId: number | null, refuse: Refuse): Promise<void> {
  const group = await deps.db.selectFrom('namespaces').selectAll().where('id', '=', id).executeTakeFirst();
  if (group !== undefined) await destroyGroup(deps, group, actorId, refuse);
}

/** Ignores objects that were restored, moved or deleted meanwhile. */
async function passOverGone(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ApiError) || (error.status !== 409 && error.status !== 404)) throw error;
  }
}
