import { laterCaller } from '../../access/later-caller.ts';
import { findProject } from '../../access/lookup.ts';
import { standingIn } from '../../access/standing.ts';
import { DANGLING_SOURCES } from '../../ci/pipeline-sources.ts';
import { COMPLETE, isOneOf, type State } from '../../ci/states.ts';
import type { CiJob } from '../../db/tables/ci-jobs.ts';
import type { Deps } from '../../deps.ts';
import { repositoryOf } from '../../repositories/change-refs.ts';
import { RUN_BRIDGE } from '../job-kinds.ts';
import { finishJob } from '../states/finish-job.ts';
import { lockJob } from '../states/lock-job.ts';
import { takeOver } from './follow-downstream.ts';

/** So often a bridge looks at a pipeline elsewhere that is not over. */
const PAUSE_MS = 30_000;

/** Lets a bridge take over how the latest pipeline on the default branch of another project goes (`needs:pipeline`). */
export async function followUpstream(deps: Deps, job: CiJob, fullPath: string): Promise<void> {
  const status = await statusOf(deps, job, fullPath);
  if (typeof status === 'object') {
    await finishJob(deps, job.id, { status: 'failed', failureReason: status.reason });
    return;
  }
  await deps.db.transaction().execute(async (db) => {
    const locked = await lockJob(db, job.id);
    if (locked === null || locked.job.status !== 'running') return;
    if (isOneOf(COMPLETE, status)) {
      await takeOver(deps, db, locked, 'mirror', status, false);
      return;
    }
    const runAt = new Date(deps.clock.now().getTime() + PAUSE_MS);
    await deps.jobs.enqueue(db, RUN_BRIDGE, { job_id: job.id }, { projectId: job.project_id, runAt });
  });
}

async function statusOf(
  deps: Deps,
  { user_id }: CiJob,
  fullPath: string,
): Promise<State | { reason: 'upstream_bridge_project_not_found' | 'insufficient_upstream_permissions' }> {
  const found = await findProject(deps, fullPath);
  const caller = await laterCaller(deps, user_id);
  const standing = found && caller && (await standingIn(deps, caller, found.project.id));
  if (!standing?.permissions.can('read_project')) return { reason: 'upstream_bridge_project_not_found' };
  const { project, permissions } = standing;
  if (!permissions.can('read_pipeline')) return { reason: 'insufficient_upstream_permissions' };
  const branch = await repositoryOf(deps, project).refs.head();
  const latest = await deps.db
    .selectFrom('pipelines')
    .select('status')
    .where('project_id', '=', project.id)
    .where('ref', '=', branch ?? '')
    .where('source', 'not in', DANGLING_SOURCES)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  // Without one there is nothing to wait for, and nothing that could have failed.
  return latest?.status ?? 'success';
}
