import { Type } from 'typebox';
import { requirePlan } from '../../../access/access.plan.ts';
import { notFound } from '../../../core/core.errors.ts';
import type { Deps } from '../../../deps.ts';
import { type Access, type BaseContext, type Route, route } from '../../../http/http.route.ts';
import { API_AND_JOB_TOKENS } from '../../../http/job-tokens.ts';
import { blobSuccess, sendBlob } from '../../../http/send-blob.ts';
import { jobOfRef } from '../../../pipelines/artifacts/by-ref.ts';
import type { StoredArtifact } from '../../../pipelines/artifacts/pipeline-artifacts.read.ts';
import { inProject, type ProjectScope } from '../../api.access.ts';
import { findJob } from '../jobs/jobs.find.ts';
import { JobId } from '../jobs/jobs.inputs.ts';
import { checkPath, findArchive, findDirectory, listDirectory } from './artifacts.find.ts';
import { ArtifactPath, BrowseArchive, ByJobToken, JobOfRef, RefName } from './artifacts.inputs.ts';
import { ArtifactEntry, presentEntry } from './artifacts.responses.ts';
import { sendFile } from './artifacts.send-file.ts';

const tag = 'Job artifacts';
const ZIP = 'application/zip';
const BYTES = 'application/octet-stream';
const TEXT = 'text/plain; charset=utf-8';
const OF_JOB = '/projects/:id/jobs/:job_id/artifacts';
const OF_REF = '/projects/:id/jobs/artifacts/:ref_name';

const read = inProject('read_pipeline', { anonymous: true });

/** Callers who may read artifacts; job tokens of other projects from Premium on (part 1, section 5). */
const readers: Access<ProjectScope> = {
  ...read,
  check: async (request) => {
    const scope = await read.check(request);
    const { caller = request.caller } = scope as Partial<Pick<BaseContext, 'caller'>>;
    const { credential } = caller;
    if (credential.kind === 'job_token' && credential.projectId !== scope.project.id) {
      await requirePlan(request.deps, 'premium');
    }
    return scope;
  },
};

const shared = {
  method: 'GET',
  tag,
  access: readers,
  credentials: API_AND_JOB_TOKENS,
} as const;

type Scope = ProjectScope & { deps: Deps };

/** Returns the archive of a job of the project. @throws ApiError 403, 404 */
async function archiveOfJob({ deps, project, permissions }: Scope, jobId: number, missing?: string) {
  const job = await findJob(deps.db, project.id, jobId, 'build');
  return findArchive(deps, permissions, job.id, missing);
}

interface OfRef {
  ref_name: string;
  job: string;
  search_recent_successful_pipelines?: boolean;
}

/** Returns the archive of a job of the last successful pipeline of a ref. @throws ApiError 403, 404 */
async function archiveOfRef({ deps, project, permissions }: Scope, of: OfRef): Promise<StoredArtifact> {
  const recent = of.search_recent_successful_pipelines === true;
  const job = await jobOfRef(deps.db, project.id, of.ref_name, of.job, recent);
  if (job === undefined) throw notFound('Job');
  return findArchive(deps, permissions, job.id);
}

/** Routes for reading the artifacts of jobs (part 1, section 4.5). */
export const artifactReadRoutes: readonly Route[] = [
  route({
    ...shared,
    path: OF_JOB,
    operationId: 'downloadJobArtifacts',
    summary: 'Download the artifacts of a job',
    params: Type.Object(JobId),
    input: ByJobToken,
    ...blobSuccess(ZIP, 'The archive.'),
    errors: [416],
    handler: async (c) => {
      const archive = await archiveOfJob(c, c.params.job_id);
      return sendBlob(c, archive, archive.filename, ZIP);
    },
  }),
  route({
    ...shared,
    path: `${OF_JOB}/tree`,
    operationId: 'listJobArtifactFiles',
    summary: 'List the contents of the artifacts of a job',
    description: 'Ordered by path. The archive is not unpacked for this.',
    params: Type.Object(JobId),
    input: BrowseArchive,
    success: { status: 200, schema: Type.Array(ArtifactEntry) },
    errors: [422],
    handler: async (c) => {
      const { deps, input } = c;
      const path = (input.path ?? '').replace(/\/+$/, '');
      checkPath(path);
      const archive = await archiveOfJob(c, c.params.job_id, 'Artifacts');
      const directory = await findDirectory(deps, archive);
      return c.page(
        (page) => listDirectory(directory, path, input.recursive === true, page),
        (entries) => entries.map(presentEntry),
      );
    },
  }),
  route({
    ...shared,
    path: `${OF_JOB}/*artifact_path`,
    operationId: 'downloadJobArtifactFile',
    summary: 'Download a single file from the artifacts of a job',
    description: 'Reports are found only if the archive contains their paths as well.',
    params: Type.Object({ ...JobId, ...ArtifactPath }),
    input: ByJobToken,
    success: { status: 200, contentType: BYTES, description: 'The file, unpacked.' },
    errors: [422],
    handler: async (c) =>
      sendFile(c, await archiveOfJob(c, c.params.job_id, 'Artifacts'), c.params.artifact_path, BYTES),
  }),
  route({
    ...shared,
    path: `${OF_REF}/download`,
    operationId: 'downloadRefArtifacts',
    summary: 'Download the artifacts of a job by branch or tag',
    description:
      'From the last successful pipeline of the ref. Jobs of that name in its downstream pipelines are used as well.',
    params: Type.Object(RefName),
    input: JobOfRef,
    ...blobSuccess(ZIP, 'The archive.'),
    errors: [416],
    handler: async (c) => {
      const archive = await archiveOfRef(c, { ...c.params, ...c.input });
      return sendBlob(c, archive, archive.filename, ZIP);
    },
  }),
  route({
    ...shared,
    path: `${OF_REF}/raw/*artifact_path`,
    operationId: 'downloadRefArtifactFile',
    summary: 'Download a single file from the artifacts of a job by branch or tag',
    description: 'From the last successful pipeline of the ref.',
    params: Type.Object({ ...RefName, ...ArtifactPath }),
    input: JobOfRef,
    success: { status: 200, contentType: 'text/plain', description: 'The file, unpacked.' },
    errors: [422],
    handler: async (c) => {
      checkPath(c.params.artifact_path);
      return sendFile(c, await archiveOfRef(c, { ...c.params, ...c.input }), c.params.artifact_path, TEXT);
    },
  }),
];
