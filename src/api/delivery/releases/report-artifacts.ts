import { effectivePlan } from '../../../access/access.plan.ts';
import { DANGLING_SOURCES } from '../../../ci/pipeline-sources.ts';
import { timestamp } from '../../../core/clock.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Release } from '../../../db/tables/releases.table.ts';
import type { Deps } from '../../../deps.ts';
import { retainReportsOf } from '../../../pipelines/artifacts/retain.ts';
import { projectUrl } from '../../code/index.ts';

/** Location of the archive of a job with reports. */
export interface ReportArtifact {
  url: string;
}

/** Returns the id of the latest pipeline of a project; 0 if there is none. */
export async function lastPipelineOf(db: Db, projectId: number): Promise<number> {
  const { id } = (await pipelinesOf(db, projectId).executeTakeFirst()) ?? { id: 0 };
  return id;
}

/** Query for the latest pipelines of a project, without child pipelines. */
const pipelinesOf = (db: Db, projectId: number) =>
  db
    .selectFrom('pipelines')
    .select('id')
    .where('project_id', '=', projectId)
    .where('source', 'not in', DANGLING_SOURCES)
    .orderBy('id', 'desc')
    .limit(1);

/**
 * Returns the archives of the jobs with reports in the last pipeline for a release's commit; they are kept forever from
 * now on. Requires Ultimate; empty otherwise.
 * @param db of a transaction
 * @param lastPipelineId last pipeline to consider
 */
export async function collectReports(
  deps: Deps,
  db: Db,
  { sha }: Release,
  project: Pick<Project, 'id' | 'full_path'>,
  lastPipelineId = Number.MAX_SAFE_INTEGER,
): Promise<ReportArtifact[]> {
  if (sha === null || (await effectivePlan(deps, db)) !== 'ultimate') return [];
  const pipeline = await pipelinesOf(db, project.id)
    .where('sha', '=', sha)
    .where('id', '<=', lastPipelineId)
    .executeTakeFirst();
  if (pipeline === undefined) return [];
  const jobIds = await retainReportsOf(db, pipeline.id, timestamp(deps.clock));
  return jobIds.map((id) => ({ url: `${projectUrl(deps, project)}/-/jobs/${id}/artifacts/download` }));
}
