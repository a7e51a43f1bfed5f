import type { ProjectPermissions } from '../../access/permissions.ts';
import type { ArtifactTypeName } from '../../ci/artifact-types.ts';
import type { Clock } from '../../core/clock.ts';
import type { Db } from '../../db/db.schema.ts';
import type { CiJobArtifact } from '../../db/tables/ci-job-artifacts.table.ts';
import type { CiJob } from '../../db/tables/ci-jobs.table.ts';

/** An artifact of a job, and whether its pipeline is locked. */
export interface StoredArtifact extends CiJobArtifact {
  locked: 0 | 1;
}

/** The artifact of a type that a job has, expired or not. */
export function artifactOf(db: Db, jobId: number, type: ArtifactTypeName): Promise<StoredArtifact | undefined> {
  return db
    .selectFrom('ci_job_artifacts')
    .innerJoin('ci_jobs', 'ci_jobs.id', 'ci_job_artifacts.job_id')
    .innerJoin('pipelines', 'pipelines.id', 'ci_jobs.pipeline_id')
    .selectAll('ci_job_artifacts')
    .select('pipelines.locked')
    .where('ci_job_artifacts.job_id', '=', jobId)
    .where('file_type', '=', type)
    .executeTakeFirst();
}

/** Whether an artifact has not expired. Those of the last successful pipeline of a ref do not. */
export const isAvailable = (clock: Clock, { expire_at, locked }: StoredArtifact): boolean =>
  expire_at === null || locked === 1 || expire_at > clock.now().toISOString();

const ABILITIES = {
  all: 'read_pipeline',
  developer: 'read_developer_artifacts',
  maintainer: 'read_maintainer_artifacts',
} as const;

/** Whether a user with these permissions may read the artifact. */
export const mayRead = (permissions: ProjectPermissions, { accessibility }: CiJobArtifact): boolean =>
  accessibility !== 'none' && permissions.can(ABILITIES[accessibility]);

/** Maximum depth of nested child pipelines. */
const MAX_DEPTH = 10;

/** Whether two jobs belong to the same pipeline tree. */
export async function sharePipelineTree(
  db: Db,
  one: Pick<CiJob, 'pipeline_id' | 'project_id'>,
  other: Pick<CiJob, 'pipeline_id' | 'project_id'>,
): Promise<boolean> {
  if (one.pipeline_id === other.pipeline_id) return true;
  if (one.project_id !== other.project_id) return false;
  return (await rootOf(db, one.pipeline_id)) === (await rootOf(db, other.pipeline_id));
}

/** Root of a pipeline tree. */
export async function rootOf(db: Db, pipelineId: number): Promise<number> {
  let id = pipelineId;
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    const row = await db.selectFrom('pipelines').select('parent_id').where('id', '=', id).executeTakeFirst();
    if (row === undefined || row.parent_id === null) return id;
    id = row.parent_id;
  }
  return id;
}
