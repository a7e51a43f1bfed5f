import { inBatches } from '../../db/in-batches.ts';
import type { Project } from '../../db/tables/projects.table.ts';
import type { Deps } from '../../deps.ts';
import { jobKind } from '../../jobs/jobs.kinds.ts';
import { ciSettings } from '../creation/ci-settings.ts';
import { destroyPipeline } from './pipeline-removal.destroy.ts';

const SWEEP = jobKind<Record<string, never>>('ci.remove-old-pipelines', { lane: 'slow' });
const PROJECTS_AT_ONCE = 500;
const PIPELINES_AT_ONCE = 100;

/** Removes pipelines after their project's retention period. */
export function registerOldPipelines(deps: Deps): void {
  deps.jobs.every(SWEEP, { dailyAt: '02:10' }, (_payload, { signal }) => sweep(deps, signal));
}

async function sweep(deps: Deps, signal: AbortSignal): Promise<void> {
  const all = deps.db.selectFrom('projects').select(['id', 'settings']).where('pending_delete', '=', 0);
  for await (const projects of inBatches(all, PROJECTS_AT_ONCE, 'id')) {
    if (signal.aborted) return;
    for (const project of projects) await removeOld(deps, project, signal);
  }
}

async function removeOld(deps: Deps, project: Pick<Project, 'id' | 'settings'>, signal: AbortSignal): Promise<void> {
  const seconds = ciSettings(project).ci_delete_pipelines_in_seconds;
  if (seconds === null || seconds <= 0) return;
  const before = new Date(deps.clock.now().getTime() - seconds * 1000).toISOString();
  while (!signal.aborted) {
    const old = await deps.db
      .selectFrom('pipelines')
      .select('id')
      .where('project_id', '=', project.id)
      .where('created_at', '<', before)
      .orderBy('id')
      .limit(PIPELINES_AT_ONCE)
      .execute();
    for (const { id } of old) if (!signal.aborted) await destroyPipeline(deps, id);
    if (old.length < PIPELINES_AT_ONCE) return;
  }
}
