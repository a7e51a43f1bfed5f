import type { SelectQueryBuilder } from 'kysely';
import { COMPLETE, isOneOf, type State } from '../../ci/states.ts';
import type { Db, Schema } from '../../db/db.schema.ts';
import type { Deps } from '../../deps.ts';
import { RUN_BRIDGE } from '../job-kinds.ts';
import { runBridge } from './run-bridge.ts';

type PipelineIds = readonly number[] | SelectQueryBuilder<Schema, 'pipelines', { id: number }>;

/** Number of bridges read by one query. */
const BATCH_SIZE = 200;

/**
 * Registers updates of bridges that wait for a pipeline of another project, when it finishes or its project is deleted.
 */
export function registerFollowers(deps: Deps): void {
  deps.events.subscribe({
    name: 'follow-upstream',
    types: ['pipeline.updated'],
    lane: 'ci',
    wants: async ({ payload: { pipeline_id, status } }, db) =>
      isOneOf(COMPLETE, status as State) && (await followersOf(db, [pipeline_id]).limit(1).execute()).length > 0,
    handle: ({ payload }, { signal }) => lookAgain(deps, payload.pipeline_id, signal),
  });
  deps.lifecycle.projectsRemoved.add((db, ids) =>
    wakeFollowers(deps, db, db.selectFrom('pipelines').select('id').where('project_id', 'in', ids)),
  );
}

async function lookAgain(deps: Deps, pipelineId: number, signal: AbortSignal): Promise<void> {
  for (let after = 0; ; ) {
    signal.throwIfAborted();
    const bridges = await followersOf(deps.db, [pipelineId]).where('id', '>', after).limit(BATCH_SIZE).execute();
    for (const { id } of bridges) await runBridge(deps, id);
    if (bridges.length < BATCH_SIZE) return;
    after = bridges.at(-1)!.id;
  }
}

/** Updates bridges that wait for pipelines deleted by this transaction. */
export async function wakeFollowers(deps: Deps, db: Db, pipelineIds: PipelineIds): Promise<void> {
  const bridges = await followersOf(db, pipelineIds).execute();
  const works = bridges.map(({ id, project_id }) => ({
    kind: RUN_BRIDGE,
    payload: { job_id: id },
    projectId: project_id,
  }));
  await deps.jobs.enqueueAll(db, works);
}

const followersOf = (db: Db, pipelineIds: PipelineIds) =>
  db
    .selectFrom('ci_jobs')
    .select(['id', 'project_id'])
    .where('followed_pipeline_id', 'in', pipelineIds)
    .where('status', '=', 'running')
    .orderBy('id');
