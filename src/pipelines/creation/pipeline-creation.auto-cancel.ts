import { DANGLING_SOURCES } from '../../ci/pipeline-sources.ts';
import { isOneOf, type State } from '../../ci/states.ts';
import { pluck } from '../../core/pluck.ts';
import type { Db } from '../../db/db.schema.ts';
import type { Pipeline } from '../../db/tables/pipelines.table.ts';
import type { Project } from '../../db/tables/projects.table.ts';
import type { Deps } from '../../deps.ts';
import { repositoryOf } from '../../repositories/change-refs.ts';
import { cancelPipeline } from '../states/cancel.ts';
import type { ProcessedJob } from '../states/pipeline-states.process.ts';
import { ciSettings } from './ci-settings.ts';

const DAY_MS = 86_400_000;
const MAX_AGE_DAYS = 7;
const MAX_PIPELINES = 3000;
const UNFINISHED: readonly State[] = [
  'created',
  'waiting_for_resource',
  'preparing',
  'waiting_for_callback',
  'pending',
  'running',
  'scheduled',
];
/** States of a job that has started. */
const STARTED: readonly State[] = ['running', 'success', 'failed'];

/** Cancels older pipelines of the ref that a new pipeline makes redundant. */
export async function cancelRedundant(deps: Deps, pipelineId: number): Promise<void> {
  const pipeline = await deps.db.selectFrom('pipelines').selectAll().where('id', '=', pipelineId).executeTakeFirst();
  if (pipeline === undefined || pipeline.parent_id !== null) return;
  const project = await deps.db
    .selectFrom('projects')
    .selectAll()
    .where('id', '=', pipeline.project_id)
    .executeTakeFirst();
  if (project === undefined || ciSettings(project).auto_cancel_pending_pipelines !== 'enabled') return;
  const head = await headOf(deps, project, pipeline);
  const older = (await olderOnes(deps, pipeline)).filter(({ sha }) => sha !== head);
  for (const each of [...older, ...(await childrenOf(deps.db, older))]) {
    const only = (jobs: readonly ProcessedJob[]) => redundant(each, jobs);
    await cancelPipeline(deps, each.id, { autoCanceledById: pipeline.id, only });
  }
}

async function headOf(deps: Deps, project: Project, { ref, tag }: Pipeline): Promise<string | null> {
  const full = ref.startsWith('refs/') ? ref : `refs/${tag === 1 ? 'tags' : 'heads'}/${ref}`;
  return repositoryOf(deps, project).refs.resolve(full);
}

type Older = Pick<Pipeline, 'id' | 'sha' | 'on_new_commit'>;

function olderOnes(deps: Deps, pipeline: Pipeline): Promise<Older[]> {
  const since = new Date(deps.clock.now().getTime() - MAX_AGE_DAYS * DAY_MS).toISOString();
  return deps.db
    .selectFrom('pipelines')
    .select(['id', 'sha', 'on_new_commit'])
    .where('project_id', '=', pipeline.project_id)
    .where('ref', '=', pipeline.ref)
    .where('tag', '=', pipeline.tag)
    .where('id', '<', pipeline.id)
    .where('status', 'in', UNFINISHED)
    .where('sha', '!=', pipeline.sha)
    .where('source', 'not in', DANGLING_SOURCES)
    .where('created_at', '>', since)
    .orderBy('id', 'desc')
    .limit(MAX_PIPELINES)
    .execute();
}

/** Descendants of pipelines. */
async function childrenOf(db: Db, parents: readonly Older[]): Promise<Older[]> {
  const children: Older[] = [];
  for (let level = parents; level.length > 0; ) {
    level = await db
      .selectFrom('pipelines')
      .select(['id', 'sha', 'on_new_commit'])
      .where('parent_id', 'in', pluck(level, 'id'))
      .where('status', 'in', UNFINISHED)
      .limit(MAX_PIPELINES)
      .execute();
    children.push(...level);
  }
  return children;
}

/** Jobs of an older pipeline to cancel, according to its own `on_new_commit`. */
function redundant({ on_new_commit }: Older, jobs: readonly ProcessedJob[]): readonly ProcessedJob[] {
  switch (on_new_commit ?? 'conservative') {
    case 'none':
      return [];
    case 'interruptible':
      return jobs.filter(({ interruptible }) => interruptible === 1);
    default: {
      const begun = jobs.some(({ kind, status, interruptible }) => {
        return kind === 'build' && interruptible !== 1 && isOneOf(STARTED, status);
      });
      return begun ? [] : jobs;
    }
  }
}
