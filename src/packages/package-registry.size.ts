import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { pluck } from '../core/pluck.ts';
import type { Db } from '../db/db.schema.ts';
import type { Deps } from '../deps.ts';
import { jobKind } from '../jobs/jobs.kinds.ts';

/** Recounts the size of a project's packages; handled by the project statistics. */
export const COUNT_PACKAGES_SIZE = jobKind<{ project_id: number }>('project.packages_size', { lane: 'slow' });
/** Delay after a change, so that one count serves a burst of them. */
const PAUSE_MS = 10_000;
/** Packages per query, so that other work gets its turn in between. */
const BATCH_SIZE = 1_000;

/** Enqueues a recount of a project's packages size, in the transaction of the change. */
export async function enqueuePackagesSize(deps: Deps, db: Db, projectId: number): Promise<void> {
  const runAt = new Date(deps.clock.now().getTime() + PAUSE_MS);
  await deps.jobs.enqueue(
    db,
    COUNT_PACKAGES_SIZE,
    { project_id: projectId },
    { uniqueKey: projectId, projectId, runAt },
  );
}

/** Total size of a project's package files in bytes. */
export async function packagesSize(db: Db, projectId: number): Promise<number> {
  let bytes = 0;
  for (let after = { created_at: '', id: 0 }; ; ) {
    const packages = await db
      .selectFrom('packages')
      .select(['id', 'created_at'])
      .where('project_id', '=', projectId)
      .where('status', '<>', 'pending_destruction')
      .where(sql<boolean>`(created_at, id) > (${after.created_at}, ${after.id})`)
      .orderBy('created_at')
      .orderBy('id')
      .limit(BATCH_SIZE)
      .execute();
    const last = packages.at(-1);
    if (last === undefined) return bytes;
    const { total } = await db
      .selectFrom('package_files')
      .select(({ fn }) => fn.sum<number | string | null>('size').as('total'))
      .where('package_id', 'in', pluck(packages, 'id'))
      .where('status', '=', 'default')
      .executeTakeFirstOrThrow();
    bytes += Number(total ?? 0);
    if (packages.length < BATCH_SIZE) return bytes;
    after = last;
    await setImmediate();
  }
}
