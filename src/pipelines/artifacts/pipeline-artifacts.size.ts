import type { Db } from '../../db/db.schema.ts';
import type { Deps } from '../../deps.ts';
import { jobKind } from '../../jobs/jobs.kinds.ts';

/** Recounts the size of the artifacts of a project; handled by the project statistics. */
export const COUNT_ARTIFACTS_SIZE = jobKind<{ project_id: number }>('project.artifacts_size', { lane: 'slow' });
/** Delay after a change, so that one count covers a burst of changes. */
const PAUSE_MS = 60_000;

/** Schedules a recount, with the handle of the transaction that changes the artifacts, if there is one. */
export async function enqueueArtifactsSize(deps: Deps, db: Db, projectIds: readonly number[]): Promise<void> {
  const runAt = new Date(deps.clock.now().getTime() + PAUSE_MS);
  await deps.jobs.enqueueAll(
    db,
    [...new Set(projectIds)].map((id) => ({
      kind: COUNT_ARTIFACTS_SIZE,
      payload: { project_id: id },
      uniqueKey: id,
      projectId: id,
      runAt,
    })),
  );
}

/** Total size of the artifacts of a project in bytes, including logs. */
export async function artifactsSize(db: Db, projectId: number): Promise<number> {
  const { total } = await db
    .selectFrom('ci_job_artifacts')
    .select(({ fn }) => fn.sum<number | string | null>('size').as('total'))
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow();
  return Number(total ?? 0);
}
