import { Type } from 'typebox';
import { findProject } from '../../../access/lookup.ts';
import { projectPermissions } from '../../../access/permissions.ts';
import { forbidden, notFound, unauthorized } from '../../../core/core.errors.ts';
import { parameter } from '../../../http/credential-locations.ts';
import type { Credentials } from '../../../http/http.credentials.ts';
import type { Access } from '../../../http/http.route.ts';
import { JOB_TOKEN_METHODS } from '../../../http/job-tokens.ts';
import { jobToken } from '../../../http/secret-kinds.ts';
import {
  artifactOf,
  mayRead,
  type StoredArtifact,
  sharePipelineTree,
} from '../../../pipelines/artifacts/pipeline-artifacts.read.ts';

const description = 'The token of the job that downloads the artifacts.';
const kinds = [jobToken];

/** Credentials of a runner that downloads artifacts of another job. */
export const REQUESTING_JOB_CREDENTIALS: Credentials = {
  methods: [...JOB_TOKEN_METHODS, { name: 'askingJobTokenQuery', location: parameter('token'), description, kinds }],
};

/**
 * Jobs that may download the archive of the job of `:job_id`: all jobs of the same pipeline, and other jobs whose user
 * may read it in a project that accepts their tokens. Handlers find the archive in their context.
 */
export const byRequestingJob: Access<{ archive: StoredArtifact }> = {
  description: 'Running jobs: those of the same pipeline, and others whose user may read the artifacts',
  anonymous: false,
  params: { job_id: Type.Integer() },
  check: async ({ deps, caller, values }) => {
    const { credential } = caller;
    if (credential.kind !== 'job_token') throw unauthorized();
    const { job_id } = values() as { job_id: number };
    const columns = ['id', 'project_id', 'pipeline_id'] as const;
    const jobs = await deps.db
      .selectFrom('ci_jobs')
      .select(columns)
      .where('id', 'in', [job_id, credential.jobId])
      .execute();
    const [sourceJob, asking] = [job_id, credential.jobId].map((id) => jobs.find((job) => job.id === id));
    const project = sourceJob === undefined ? undefined : await findProject(deps, String(sourceJob.project_id));
    if (sourceJob === undefined || asking === undefined || project === undefined) throw notFound();
    const permissions = await projectPermissions(deps, caller, project.project, project.namespace);
    if (!permissions.can('read_project')) throw notFound();
    if (!permissions.can('read_pipeline')) throw forbidden();
    const archive = await artifactOf(deps.db, sourceJob.id, 'archive');
    if (archive === undefined) throw notFound();
    if (!(await sharePipelineTree(deps.db, asking, sourceJob)) && !mayRead(permissions, archive)) throw forbidden();
    return { archive };
  },
};
