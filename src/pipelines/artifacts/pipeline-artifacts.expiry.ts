import { COMPLETE } from '../../ci/states.ts';
import { timestamp } from '../../core/clock.ts';
import type { Db } from '../../db/db.schema.ts';
import type { Deps } from '../../deps.ts';
import { jobKind } from '../../jobs/jobs.kinds.ts';
import { removeArtifacts } from './remove.ts';

const HOUR_MS = 3_600_000;
const EXPIRE = jobKind<Record<string, never>>('artifacts.expire', { lane: 'slow', timeoutMs: HOUR_MS });
const EXPIRE_PROJECT = jobKind<{ project_id: number; last_id: number }>('artifacts.expire_project', {
  lane: 'slow',
  timeoutMs: HOUR_MS,
});
/** Number of files removed in one transaction. */
const BATCH = 500;

/** Removes expired artifacts every hour, and a project's artifacts soon after a request. */
export function registerArtifactExpiry(deps: Deps): void {
  deps.jobs.every(EXPIRE, { everyMs: HOUR_MS }, (_payload, { signal }) => removeExpired(deps, signal));
  deps.jobs.register(EXPIRE_PROJECT, async ({ project_id, last_id }, { signal }) => {
    await endArtifacts(deps, project_id, last_id, signal);
    await removeExpired(deps, signal, project_id);
  });
}

/** Expires all current artifacts of a project, except logs and artifacts of locked or unfinished pipelines. */
export async function expireProjectArtifacts(deps: Deps, projectId: number): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    const last = await db
      .selectFrom('ci_job_artifacts')
      .select('id')
      .where('project_id', '=', projectId)
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst();
    if (last === undefined) return;
    await deps.jobs.enqueue(db, EXPIRE_PROJECT, { project_id: projectId, last_id: last.id }, { projectId });
  });
}

/** Artifacts with their job and pipeline, without logs. */
const withPipelines = (db: Db) =>
  db
    .selectFrom('ci_job_artifacts')
    .innerJoin('ci_jobs', 'ci_jobs.id', 'ci_job_artifacts.job_id')
    .innerJoin('pipelines', 'pipelines.id', 'ci_jobs.pipeline_id')
    .where('file_type', '!=', 'trace')
    .where('pipelines.locked', '=', 0);

async function endArtifacts(deps: Deps, projectId: number, lastId: number, signal: AbortSignal): Promise<void> {
  for (let after = 0; ; ) {
    signal.throwIfAborted();
    const rows = await withPipelines(deps.db)
      .select(['ci_job_artifacts.id', 'ci_job_artifacts.job_id'])
      .where('ci_job_artifacts.project_id', '=', projectId)
      .where('ci_job_artifacts.id', '>', after)
      .where('ci_job_artifacts.id', '<=', lastId)
      .where('pipelines.status', 'in', COMPLETE)
      .orderBy('ci_job_artifacts.id')
      .limit(BATCH)
      .execute();
    if (rows.length === 0) return;
    after = rows.at(-1)!.id;
    const expire_at = timestamp(deps.clock);
    const ids = rows.map(({ id }) => id);
    const jobIds = rows.map(({ job_id }) => job_id);
    await deps.db.transaction().execute(async (db) => {
      await db.updateTable('ci_jobs').set({ artifacts_expire_at: expire_at }).where('id', 'in', jobIds).execute();
      await db.updateTable('ci_job_artifacts').set({ expire_at }).where('id', 'in', ids).execute();
    });
  }
}

/** @param projectId limits the removal to a project */
async function removeExpired(deps: Deps, signal: AbortSignal, projectId?: number): Promise<void> {
  const now = timestamp(deps.clock);
  let [at, id] = ['', 0];
  for (;;) {
    signal.throwIfAborted();
    let due = withPipelines(deps.db)
      .select(['ci_job_artifacts.id', 'ci_job_artifacts.expire_at'])
      .where('expire_at', '<=', now)
      .where((eb) =>
        eb.or([eb('expire_at', '>', at), eb.and([eb('expire_at', '=', at), eb('ci_job_artifacts.id', '>', id)])]),
      );
    if (projectId !== undefined) due = due.where('ci_job_artifacts.project_id', '=', projectId);
    const rows = await due.orderBy('expire_at').orderBy('ci_job_artifacts.id').limit(BATCH).execute();
    const last = rows.at(-1);
    if (last === undefined) return;
    [at, id] = [last.expire_at!, last.id];
    const ids = rows.map((row) => row.id);
    await deps.db.transaction().execute(async (db) => {
      // They may have been kept meanwhile, or their pipeline may have become the last successful one. A no-op update
      // reads each row after concurrent changes.
      const over = await db
        .updateTable('ci_job_artifacts')
        .set((eb) => ({ expire_at: eb.ref('expire_at') }))
        .where('id', 'in', ids)
        .where('expire_at', '<=', now)
        .returning('id')
        .execute();
      const still = await withPipelines(db)
        .select('ci_job_artifacts.id')
        .where(
          'ci_job_artifacts.id',
          'in',
          over.map((row) => row.id),
        )
        .execute();
      await removeArtifacts(
        deps,
        db,
        still.map((row) => row.id),
      );
    });
  }
}
