import { type RawBuilder, sql } from 'kysely';
import { DANGLING_SOURCES } from '../../../ci/pipeline-sources.ts';
import type { Db } from '../../../db/db.schema.ts';
import { countOf, type PageRange } from '../../../db/paginate.ts';
import type { MergeRequest } from '../../../db/tables/merge-requests.table.ts';
import type { Pipeline } from '../../../db/tables/pipelines.table.ts';

type Of = Pick<MergeRequest, 'id' | 'source_project_id' | 'source_branch'>;

/**
 * Query for the ids of the pipelines of a merge request, and whether they are merge request pipelines; no rows if
 * `projects` is empty.
 */
function pipelineIds(
  { id, source_project_id, source_branch }: Of,
  projects: readonly number[],
): RawBuilder<{ id: number; own: number }> {
  const condition = sql`source not in (${sql.join(DANGLING_SOURCES)}) and project_id in (${sql.join(projects)})`;
  return sql`(
    select id, 1 as own from pipelines where merge_request_id = ${id} and ${condition}
    union all
    select id, 0 from pipelines
    where project_id = ${source_project_id} and ref = ${source_branch} and merge_request_id is null and ${condition}
      and sha in (select sha from merge_request_commits where merge_request_id = ${id}))`;
}

/**
 * Returns a page of the pipelines of a merge request: merge request pipelines first, then those of the source branch
 * for commits of any version; both newest first.
 * @param projects ids of the projects whose pipelines to include
 */
export async function pipelinesOf(
  db: Db,
  row: Of,
  projects: readonly number[],
  { offset, size }: PageRange,
): Promise<{ rows: Pipeline[]; total: number }> {
  if (projects.length === 0) return { rows: [], total: 0 };
  const all = db.selectFrom(pipelineIds(row, projects).as('found'));
  const page = all.select('found.id').orderBy('found.own', 'desc').orderBy('found.id', 'desc');
  const rows = await db
    .selectFrom('pipelines')
    .selectAll()
    .where('id', 'in', (eb) => eb.selectFrom(page.limit(size).offset(offset).as('page')).select('page.id'))
    .orderBy((eb) => eb.case().when('merge_request_id', 'is', null).then(1).else(0).end())
    .orderBy('id', 'desc')
    .execute();
  return { rows, total: await countOf(db, all.select('found.id')) };
}
