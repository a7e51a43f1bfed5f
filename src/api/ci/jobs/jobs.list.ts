import type { SelectQueryBuilder } from 'kysely';
import type { State } from '../../../ci/states.ts';
import type { Db, Schema } from '../../../db/db.schema.ts';
import type { CiJob } from '../../../db/tables/ci-jobs.table.ts';
import { keysetPage, type ReadPage, uncountedPage } from '../../../http/listing.ts';

/** Filters of a list of jobs. */
export interface JobFilters {
  scope?: readonly State[] | undefined;
  ref?: string | undefined;
  /** Only jobs with a lower id. */
  before?: number | undefined;
}

type Jobs = SelectQueryBuilder<Schema, 'ci_jobs', object>;

function ofProject(db: Db, projectId: number, { ref, before }: JobFilters): Jobs {
  let query = db.selectFrom('ci_jobs').where('project_id', '=', projectId).where('kind', '=', 'build');
  if (ref !== undefined) query = query.where('ref', '=', ref);
  if (before !== undefined) query = query.where('id', '<', before);
  return query as Jobs;
}

/** Reads the jobs of a project, newest first, without counting them. */
export const projectJobs =
  (db: Db, projectId: number, filters: JobFilters, keyset: boolean): ReadPage<CiJob[]> =>
  async ({ offset, size }) => {
    const jobs = await jobsInRange(db, projectId, filters, keyset ? 0 : offset, size + 1);
    return keyset ? keysetPage(jobs, size, ({ id }) => ({ cursor: id })) : uncountedPage(jobs, size);
  };

/** Queries each state separately, so that an index in id order serves rare and frequent states alike. */
async function jobsInRange(
  db: Db,
  projectId: number,
  filters: JobFilters,
  offset: number,
  limit: number,
): Promise<CiJob[]> {
  const jobs = ofProject(db, projectId, filters);
  const states = [...new Set(filters.scope)];
  const newest = (query: Jobs) => query.orderBy('id', 'desc');
  if (states.length === 0) return newest(jobs).selectAll().limit(limit).offset(offset).execute();
  const ofState = (state: State) =>
    db
      .selectFrom(
        newest(jobs.where('status', '=', state))
          .select('id')
          .limit(offset + limit)
          .as('of_state'),
      )
      .select('of_state.id');
  const [first, ...others] = states.map(ofState);
  const ids = others.reduce((all, each) => all.unionAll(each), first!);
  const page = db
    .selectFrom(ids.as('found'))
    .select('found.id')
    .orderBy('found.id', 'desc')
    .limit(limit)
    .offset(offset);
  return newest(db.selectFrom('ci_jobs').where('id', 'in', page) as Jobs)
    .selectAll()
    .execute();
}

/** Query for the jobs or bridges of a pipeline, newest first. */
export function pipelineJobs(
  db: Db,
  pipelineId: number,
  filter: { kind: 'build' | 'bridge'; scope?: readonly State[] | undefined; retried: boolean },
) {
  let query = db
    .selectFrom('ci_jobs')
    .selectAll()
    .where('pipeline_id', '=', pipelineId)
    .where('kind', '=', filter.kind);
  if (!filter.retried) query = query.where('retried', '=', 0);
  if (filter.scope !== undefined && filter.scope.length > 0) query = query.where('status', 'in', filter.scope);
  return query.orderBy('id', 'desc');
}
