import { RetryLater } from '../../../../core/retry-later.ts';
import type { Db } from '../../../../db/db.schema.ts';
import { rowsById } from '../../../../db/rows-by-id.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { Deps } from '../../../../deps.ts';
import { jobKind } from '../../../../jobs/jobs.kinds.ts';
import { areRelated, tipOf } from './branches.ts';
import { lockMergeRequest } from './merge-requests.lock.ts';
import { closeMergeRequest } from './state-event.ts';

/** Maximum number of merge requests to close in the transaction that removes their source; jobs close the others. */
const BATCH_SIZE = 20;
/** Maximum number of merge requests per job. */
const BATCH = 100;
/** Delay before a merge request with a merge in progress is checked again, in milliseconds. */
const LATER_MS = 5_000;
const OPEN = ['opened', 'locked'] as const;

interface Close {
  ids: number[];
  user_id: number | null;
}

const CLOSE = jobKind<Close>('merge_requests.close_orphans', { lane: 'git' });

/**
 * Closes open merge requests whose source is removed, in the transaction that removes it: a few immediately; others,
 * and those with a merge in progress, by jobs.
 * @param actorId id of the user who removes it; null for the system
 */
export async function closeOrphans(deps: Deps, db: Db, ids: readonly number[], actorId: number | null): Promise<void> {
  const later: number[] = [];
  for (const id of ids) {
    const row = ids.length > BATCH_SIZE ? undefined : await lockMergeRequest(db, id);
    if (row?.state === 'opened') await closeMergeRequest(deps, db, row, actorId);
    else if (row?.state === 'locked' || ids.length > BATCH_SIZE) later.push(id);
  }
  const jobs = Array.from({ length: Math.ceil(later.length / BATCH) }, (_, index) => ({
    kind: CLOSE,
    payload: { ids: later.slice(index * BATCH, (index + 1) * BATCH), user_id: actorId } satisfies Close,
  }));
  await deps.jobs.enqueueAll(db, jobs);
}

/** Whether the source branch of a merge request does not exist, or is not in the fork network of its target. */
export async function isOrphan(deps: Deps, db: Db, row: MergeRequest): Promise<boolean> {
  const { project_id, source_project_id, source_branch } = row;
  if (source_project_id === null) return true;
  const projects = await rowsById(db, 'projects', [project_id, source_project_id]);
  const source = projects.get(source_project_id);
  const target = projects.get(project_id);
  if (target === undefined) return false;
  if (source === undefined || !areRelated(source, target)) return true;
  return (await tipOf(deps, source, source_branch)) === null;
}

/** Closes a merge request if its source is still missing. @returns whether a merge of it is in progress */
async function closeOne(deps: Deps, id: number, actorId: number | null): Promise<boolean> {
  return deps.db.transaction().execute(async (db) => {
    const row = await lockMergeRequest(db, id);
    if (row?.state === 'locked') return true;
    if (row?.state !== 'opened' || !(await isOrphan(deps, db, row))) return false;
    // The user who removed it may have been deleted.
    const actor = await db
      .selectFrom('users')
      .select('id')
      .where('id', '=', actorId ?? 0)
      .executeTakeFirst();
    await closeMergeRequest(deps, db, row, actor?.id ?? null);
    return false;
  });
}

/** Open merge requests from the projects into others, or from others into them if `into`. */
async function betweenForks(db: Db, ids: readonly number[], into: boolean): Promise<number[]> {
  const rows = await db
    .selectFrom('merge_requests')
    .select('id')
    .where('source_project_id', 'in', ids)
    .where('project_id', 'not in', ids)
    .where('state', 'in', OPEN)
    .$if(into, (query) =>
      query.union((eb) =>
        eb
          .selectFrom('merge_requests')
          .select('id')
          .where('project_id', 'in', ids)
          .where('source_project_id', 'not in', ids)
          .where('state', 'in', OPEN),
      ),
    )
    .execute();
  return rows.map(({ id }) => id).sort((a, b) => a - b);
}

/** Registers the job of `closeOrphans`, and closes merge requests of forks that are unlinked or deleted. */
export function registerOrphans(deps: Deps): void {
  deps.jobs.register(CLOSE, async ({ ids, user_id }, { signal }) => {
    let underWay = false;
    for (const id of ids) {
      signal.throwIfAborted();
      if (await closeOne(deps, id, user_id)) underWay = true;
    }
    if (underWay) throw new RetryLater(LATER_MS, 'a merge is in progress');
  });
  deps.lifecycle.forkUnlinked.add(async (db, projectId, actorId) =>
    closeOrphans(deps, db, await betweenForks(db, [projectId], true), actorId),
  );
  deps.lifecycle.projectsRemoved.add(async (db, ids, actorId) =>
    closeOrphans(deps, db, await betweenForks(db, ids, false), actorId),
  );
}
