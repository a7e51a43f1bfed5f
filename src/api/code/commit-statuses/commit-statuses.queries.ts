import type { Insertable, Updateable } from 'kysely';
import { DANGLING_SOURCES } from '../../../ci/pipeline-sources.ts';
import type { Db } from '../../../db/db.schema.ts';
import { nextIid } from '../../../db/iids.ts';
import { countOf } from '../../../db/paginate.ts';
import type { CiJob, CiJobsTable } from '../../../db/tables/ci-jobs.table.ts';
import type { Pipeline } from '../../../db/tables/pipelines.table.ts';
import { OPEN_STATES } from './commit-statuses.state.ts';

export interface StatusFilters {
  ref?: string | undefined;
  stage?: string | undefined;
  name?: string | undefined;
  pipelineId?: number | undefined;
  /** Whether to include replaced ones. */
  all: boolean;
  /** Whether to include jobs of pipelines, in addition to external statuses. */
  jobs: boolean;
  orderBy: 'id' | 'pipeline_id';
  sort: 'asc' | 'desc';
}

/** Query for the statuses of a commit. */
export function commitStatuses(db: Db, projectId: number, sha: string, filters: StatusFilters) {
  let query = db.selectFrom('ci_jobs').selectAll().where('project_id', '=', projectId).where('sha', '=', sha);
  if (filters.ref) query = query.where('ref', '=', filters.ref);
  if (filters.stage) query = query.where('stage', '=', filters.stage);
  if (filters.name) query = query.where('name', '=', filters.name);
  if (filters.pipelineId !== undefined) query = query.where('pipeline_id', '=', filters.pipelineId);
  if (!filters.jobs) query = query.where('kind', '=', 'status');
  if (!filters.all) query = query.where('retried', '=', 0);
  if (filters.orderBy === 'pipeline_id') query = query.orderBy('pipeline_id', filters.sort);
  return query.orderBy('id', filters.sort);
}

/** Query for the latest pipeline of a commit, optionally with a ref and an id. */
export function newestPipeline(
  db: Db,
  projectId: number,
  sha: string,
  filter: { ref?: string | undefined; id?: number | undefined },
): Promise<Pipeline | undefined> {
  let query = db.selectFrom('pipelines').selectAll().where('project_id', '=', projectId).where('sha', '=', sha);
  query = query.where('source', 'not in', DANGLING_SOURCES);
  if (filter.ref !== undefined) query = query.where('ref', '=', filter.ref);
  if (filter.id !== undefined) query = query.where('id', '=', filter.id);
  return query.orderBy('id', 'desc').limit(1).executeTakeFirst();
}

/** Inserts a pipeline of external statuses with the next number of the project. Lock the project first. */
export async function insertPipeline(
  db: Db,
  values: Pick<Pipeline, 'project_id' | 'sha' | 'ref' | 'user_id' | 'created_at'>,
): Promise<Pipeline> {
  return db
    .insertInto('pipelines')
    .values({
      ...values,
      iid: await nextIid(db, { source_type: 'project', source_id: values.project_id, usage: 'pipelines' }),
      source: 'external',
      status: 'created',
      updated_at: values.created_at,
      started_at: null,
      finished_at: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Counts the statuses of a pipeline, up to 10,001. */
export const countStatuses = (db: Db, pipelineId: number): Promise<number> =>
  countOf(db, db.selectFrom('ci_jobs').selectAll().where('pipeline_id', '=', pipelineId));

/** Query for the unfinished status that a report of the user updates. */
export const openStatus = (
  db: Db,
  filter: Pick<CiJob, 'pipeline_id' | 'name' | 'user_id'>,
): Promise<CiJob | undefined> =>
  db
    .selectFrom('ci_jobs')
    .selectAll()
    .where('pipeline_id', '=', filter.pipeline_id)
    .where('kind', '=', 'status')
    .where('name', '=', filter.name)
    .where('user_id', '=', filter.user_id)
    .where('retried', '=', 0)
    .where('status', 'in', OPEN_STATES)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();

/** Inserts a status, or updates an existing one. */
export const saveStatus = (db: Db, id: number | undefined, values: Insertable<CiJobsTable>): Promise<CiJob> =>
  id === undefined
    ? db.insertInto('ci_jobs').values(values).returningAll().executeTakeFirstOrThrow()
    : db
        .updateTable('ci_jobs')
        .set(values satisfies Updateable<CiJobsTable>)
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow();

/** Marks older statuses of the same name as replaced. */
export async function replaceOlder(db: Db, { id, pipeline_id, name }: CiJob): Promise<void> {
  await db
    .updateTable('ci_jobs')
    .set({ retried: 1 })
    .where('pipeline_id', '=', pipeline_id)
    .where('kind', '=', 'status')
    .where('name', '=', name)
    .where('id', '!=', id)
    .where('retried', '=', 0)
    .execute();
}
