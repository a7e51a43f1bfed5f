import { timestamp } from '../../core/clock.ts';
import type { Db } from '../../db/db.schema.ts';
import type { CiJob } from '../../db/tables/ci-jobs.table.ts';
import type { ResourceGroup } from '../../db/tables/resource-groups.table.ts';
import type { Deps } from '../../deps.ts';
import { processLocked } from './pipeline-states.process.ts';
import { lockPipeline } from './pipeline-status.ts';
import { moveJob } from './transitions.ts';

/** Maximum number of attempts: another process may take the job or the group between the query and the assignment. */
const MAX_TURNS = 20;

/** Assigns a free resource group to the next waiting job. */
export async function assignResource(deps: Deps, groupId: number): Promise<void> {
  for (let turn = 0; turn < MAX_TURNS; turn += 1) {
    const group = await deps.db.selectFrom('resource_groups').selectAll().where('id', '=', groupId).executeTakeFirst();
    if (group === undefined || group.job_id !== null) return;
    const next = await nextOf(deps.db, group);
    if (next === undefined || next.status !== 'waiting_for_resource') return;
    if (await grant(deps, group, next)) return;
  }
}

/** The next job in turn, if it need not wait for an earlier one. */
async function nextOf(db: Db, { id, process_mode }: ResourceGroup): Promise<CiJob | undefined> {
  const jobs = db.selectFrom('ci_jobs').selectAll().where('resource_group_id', '=', id).where('retried', '=', 0);
  const waiting = jobs.where('status', '=', 'waiting_for_resource');
  if (process_mode === 'unordered') return waiting.orderBy('id').limit(1).executeTakeFirst();
  if (process_mode === 'newest_ready_first') {
    return waiting.orderBy('pipeline_id', 'desc').orderBy('id').limit(1).executeTakeFirst();
  }
  const order = process_mode === 'oldest_first' ? 'asc' : 'desc';
  const upcoming = jobs.where('status', 'in', ['waiting_for_resource', 'created', 'scheduled']);
  const first = await upcoming.orderBy('pipeline_id', order).limit(1).executeTakeFirst();
  if (first === undefined) return undefined;
  const ready = await waiting.where('pipeline_id', '=', first.pipeline_id).orderBy('id').limit(1).executeTakeFirst();
  return ready ?? first;
}

/** @returns whether the group has a job now */
function grant(deps: Deps, group: ResourceGroup, job: CiJob): Promise<boolean> {
  return deps.db.transaction().execute(async (db) => {
    const pipeline = await lockPipeline(db, job.pipeline_id);
    if (pipeline === undefined) return false;
    const waiting = await db
      .selectFrom('ci_jobs')
      .selectAll()
      .where('id', '=', job.id)
      .where('status', '=', 'waiting_for_resource')
      .executeTakeFirst();
    if (waiting === undefined) return false;
    const taken = await db
      .updateTable('resource_groups')
      .set({ job_id: job.id, updated_at: timestamp(deps.clock) })
      .where('id', '=', group.id)
      .where('job_id', 'is', null)
      .returning('id')
      .executeTakeFirst();
    if (taken === undefined) return false;
    await moveJob(deps, db, 'grant', waiting);
    await processLocked(deps, db, pipeline);
    return true;
  });
}
