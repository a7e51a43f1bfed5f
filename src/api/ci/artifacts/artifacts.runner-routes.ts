import { Type } from 'typebox';
import { requireStorageOf } from '../../../access/storage-limit.ts';
import { SENT_ARTIFACT_TYPES } from '../../../ci/artifact-types.ts';
import { invalidParameter } from '../../../core/core.errors.ts';
import { type Route, route } from '../../../http/http.route.ts';
import { Enum } from '../../../http/http.schema.ts';
import { compileParams } from '../../../http/params/coerce.ts';
import { readFileBody } from '../../../http/params/multipart-file.ts';
import { limitedBytes } from '../../../http/params/params.bytes.ts';
import { blobSuccess, sendBlob } from '../../../http/send-blob.ts';
import { maxArtifactBytes, maxBytesOf } from '../../../pipelines/artifacts/pipeline-artifacts.limits.ts';
import {
  insertArtifact,
  storeArtifactBytes,
  tooLargeArtifact,
} from '../../../pipelines/artifacts/pipeline-artifacts.store.ts';
import type { StoredBlob } from '../../../storage/blob-store.ts';
import { enqueueBlobRemoval } from '../../../storage/unused-blobs.ts';
import { byRunningJob, limitCalls, RUNNING_JOB_CREDENTIALS } from '../runner-protocol/job-credentials.ts';
import { byRequestingJob, REQUESTING_JOB_CREDENTIALS } from './dependency-access.ts';

const artifactType = Enum(SENT_ARTIFACT_TYPES, {
  default: 'archive',
  description: 'Type of the file: `archive`, or the kind of report.',
});

const UploadArtifact = Type.Object({
  artifact_type: Type.Optional(artifactType),
  artifact_format: Type.Optional(
    Enum(['zip', 'gzip', 'raw'], { default: 'zip', description: 'Format of the file. Each type has one format.' }),
  ),
  expire_in: Type.Optional(
    Type.String({
      description: 'Time until the artifacts expire, such as `7 days`, or `never`; the setting of the job when absent.',
    }),
  ),
  accessibility: Type.Optional(
    Enum(['public', 'private'], {
      description: 'Whether only Developers and higher roles can read the file; the setting of the job when absent.',
    }),
  ),
});
const readFields = compileParams(UploadArtifact);

/** Bytes of a multipart body in addition to its file. */
const ENVELOPE = 256 * 1024;

/** Artifact routes of the runner protocol. */
export const artifactRunnerRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/jobs/:job_id/artifacts/authorize',
    summary: 'Check whether an artifact can be uploaded',
    tag: 'Job artifacts',
    access: byRunningJob,
    credentials: RUNNING_JOB_CREDENTIALS,
    input: Type.Object({
      artifact_type: Type.Optional(artifactType),
      filesize: Type.Optional(Type.Integer({ minimum: 0, description: 'Size of the file in bytes.' })),
    }),
    success: {
      status: 200,
      schema: Type.Object({ MaximumSize: Type.Integer({ description: 'Maximum size of the file in bytes.' }) }),
    },
    handler: async ({ deps, job, input }) => {
      limitCalls(deps, job.id);
      await requireStorageOf(deps, job.project_id);
      const max = maxBytesOf(input.artifact_type ?? 'archive', await maxArtifactBytes(deps, job.project_id));
      if ((input.filesize ?? 0) > max) throw tooLargeArtifact();
      return { MaximumSize: max };
    },
  }),
  route({
    method: 'POST',
    path: '/jobs/:job_id/artifacts',
    operationId: 'uploadJobArtifact',
    summary: 'Upload an artifact of a running job',
    description:
      'The body is multipart, with the file in the field `file`. Other fields may carry the parameters. The job token is checked before the body is read.',
    tag: 'Job artifacts',
    access: byRunningJob,
    credentials: RUNNING_JOB_CREDENTIALS,
    input: UploadArtifact,
    body: {
      contentType: 'multipart/form-data',
      description: 'The file in the field `file`.',
      // The handler refuses bodies that are too large with the message of the protocol.
      limit: () => Number.MAX_SAFE_INTEGER,
    },
    success: { status: 201, schema: Type.Integer({ description: 'The status code.', examples: [201] }) },
    errors: [503],
    handler: async ({ deps, job, input, request, bytes }) => {
      limitCalls(deps, job.id);
      await requireStorageOf(deps, job.project_id);
      const max = await maxArtifactBytes(deps, job.project_id);
      const maxBytes = maxBytesOf(input.artifact_type ?? 'archive', max);
      if (Number(request.headers['content-length'] ?? 0) > maxBytes + ENVELOPE) throw tooLargeArtifact();
      let blob: StoredBlob | undefined;
      try {
        const body = limitedBytes(bytes, maxBytes + ENVELOPE);
        const { file: filename, fields } = await readFileBody(request.headers, body, 'file', async (file, name) => {
          blob = await storeArtifactBytes(deps, file, maxBytes);
          return name;
        });
        if (blob === undefined || filename === undefined) throw invalidParameter('file is missing');
        const attributes = readFields({ ...input, ...fields }) as typeof input;
        const words = {
          type: attributes.artifact_type ?? 'archive',
          format: attributes.artifact_format ?? 'zip',
          expireIn: attributes.expire_in,
          accessibility: attributes.accessibility,
        } as const;
        await insertArtifact(deps, job, blob, filename, words, max);
        return 201;
      } catch (error) {
        if (blob !== undefined) await enqueueBlobRemoval(deps, deps.db, [blob.sha256]);
        throw error;
      }
    },
  }),
  route({
    method: 'GET',
    path: '/jobs/:job_id/artifacts',
    operationId: 'downloadDependency',
    summary: 'Download the artifacts of a job that another job depends on',
    tag: 'Job artifacts',
    access: byRequestingJob,
    credentials: REQUESTING_JOB_CREDENTIALS,
    input: Type.Object({
      direct_download: Type.Optional(
        Type.Boolean({ description: 'Has no effect: the file is always sent by this server.' }),
      ),
    }),
    ...blobSuccess('application/octet-stream', 'The archive.'),
    errors: [416],
    handler: (c) => sendBlob(c, c.archive, c.archive.filename, 'application/octet-stream'),
  }),
];
