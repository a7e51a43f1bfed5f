import { sql } from 'kysely';
import { DANGLING_SOURCES } from '../../../ci/pipeline-sources.ts';
import type { Db } from '../../../db/schema.ts';
import type { MergeRequest } from '../../../db/tables/merge-requests.ts';

type Of = Pick<MergeRequest, 'id' | 'source_project_id' | 'source_branch'>;

/**
 * The pipelines of a merge request: those that were made for it, and then those of its source branch for commits of any
 * version; of both the newest first.
 * @param projects ids of those whose pipelines are wanted; at least one
 */
export const pipelinesOf = (db: Db, { id, source_project_id, source_branch }: Of, projects: readonly number[]) =>
  db
    .selectFrom('pipelines')
    .selectAll()
    .where(
      () => sql<boolean>`id in (
        select id from pipelines where merge_request_id = ${id} and source not in (${sql.join(DANGLING_SOURCES)})
        union all
        select id from pipelines
        where project_id = ${source_project_id} and ref = ${source_branch} and merge_request_id is null
          and source not in (${sql.join(DANGLING_SOURCES)})
          and sha in (select sha from merge_request_commits where merge_request_id = ${id}))`,
    )
    .where('project_id', 'in', projects)
    .orderBy((eb) => eb.case().when('merge_request_id', 'is', null).then(1).else(0).end())
    .orderBy('id', 'desc');
