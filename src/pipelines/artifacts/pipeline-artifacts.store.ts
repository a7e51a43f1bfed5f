import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { ARTIFACT_TYPES, type ArtifactTypeName } from '../../ci/artifact-types.ts';
import { parseExpiry } from '../../ci/ci.durations.ts';
import { DotenvError, type DotenvLimits, dotenvTooBig, parseDotenv } from '../../ci/dotenv.ts';
import type { JobOptions } from '../../ci/pipeline-config.ts';
import { EXECUTING } from '../../ci/states.ts';
import { timestamp } from '../../core/clock.ts';
import { ApiError, invalidParameter, refused } from '../../core/core.errors.ts';
import { parseJson } from '../../db/columns.ts';
import type { Db } from '../../db/db.schema.ts';
import type { CiJobArtifact } from '../../db/tables/ci-job-artifacts.table.ts';
import type { CiJob } from '../../db/tables/ci-jobs.table.ts';
import type { Deps } from '../../deps.ts';
import { applicationSettings } from '../../settings/application-settings.ts';
import { orUnlimited, planLimits } from '../../settings/settings.plan-limits.ts';
import { BlobError, type StoredBlob } from '../../storage/blob-store.ts';
import { isNotRunning } from '../runners/running-job.ts';
import { sealedValue } from '../variables/at-rest.ts';
import { maxBytesOf } from './pipeline-artifacts.limits.ts';
import { enqueueArtifactsSize } from './pipeline-artifacts.size.ts';

const unpack = promisify(gunzip);
const MAX_FILENAME = 255;
/** Name of a file without a name. */
const UNNAMED = 'artifacts.zip';

/** Attributes of a file sent by a runner. */
export interface ArtifactAttributes {
  type: ArtifactTypeName;
  format: CiJobArtifact['file_format'];
  expireIn: string | undefined;
  accessibility: 'public' | 'private' | undefined;
}

export const tooLargeArtifact = () =>
  new ApiError(413, 'file size has reached maximum size limit', {}, { Connection: 'close' });

/** Streams an artifact to the blob store. @throws ApiError 413 */
export async function storeArtifactBytes(deps: Deps, bytes: Readable, maxBytes: number): Promise<StoredBlob> {
  try {
    return await deps.blobs.put(bytes, { maxBytes });
  } catch (error) {
    if (error instanceof BlobError && error.code === 'too_large') throw tooLargeArtifact();
    throw error;
  }
}

/**
 * Links stored content to a running job; a repeated upload of the same file changes nothing. Dotenv reports are parsed.
 * @param max maximum artifact size of the project in bytes
 * @throws ApiError 400, 413; 403 if the job has ended meanwhile
 */
export async function insertArtifact(
  deps: Deps,
  job: CiJob,
  blob: StoredBlob,
  filename: string,
  words: ArtifactAttributes,
  max: number,
): Promise<void> {
  const values = await examine(deps, job, blob, words, max);
  await deps.db.transaction().execute((db) => enter(deps, db, job, blob, artifactName(filename), words, values));
}

interface Examined {
  accessibility: CiJobArtifact['accessibility'];
  expire_at: string | null;
  variables: ReadonlyMap<string, string> | null;
}

/** Validates a file as far as possible without the database. @throws ApiError 400, 413 */
async function examine(
  deps: Deps,
  job: CiJob,
  blob: StoredBlob,
  words: ArtifactAttributes,
  max: number,
): Promise<Examined> {
  if (words.format !== ARTIFACT_TYPES[words.type].format) throw refused('Invalid file format with specified file type');
  if (blob.size > maxBytesOf(words.type, max)) throw tooLargeArtifact();
  const artifacts = await configuredArtifacts(deps.db, job.id);
  const { default_artifacts_expire_in } = await applicationSettings(deps);
  const requested = words.accessibility;
  return {
    accessibility:
      requested === undefined ? (artifacts?.access ?? 'all') : requested === 'public' ? 'all' : 'developer',
    expire_at: expiryOf(deps, words.expireIn || artifacts?.expireIn || default_artifacts_expire_in || '0'),
    variables: words.type === 'dotenv' ? await readDotenv(deps, blob) : null,
  };
}

async function configuredArtifacts(db: Db, jobId: number): Promise<JobOptions['artifacts']> {
  const row = await db.selectFrom('ci_job_configs').select('options').where('job_id', '=', jobId).executeTakeFirst();
  return row === undefined ? null : parseJson<JobOptions>(row.options).artifacts;
}

/** Expiry of an artifact created now; null for never. @throws ApiError 400 */
function expiryOf({ clock }: Deps, expireIn: string): string | null {
  const seconds = expireIn.trim() === '0' ? 'never' : parseExpiry(expireIn);
  if (seconds === null) throw invalidParameter('expire_in is invalid');
  if (seconds === 'never') return null;
  const end = new Date(clock.now().getTime() + seconds * 1_000);
  // Times beyond the range of dates never expire.
  return Number.isNaN(end.getTime()) || end.getUTCFullYear() > 9_999 ? null : end.toISOString();
}

/** @throws ApiError 400 */
async function readDotenv(deps: Deps, { sha256, size }: StoredBlob): Promise<ReadonlyMap<string, string>> {
  try {
    const limits = await dotenvLimits(deps);
    if (size > limits.bytes + PACKING) throw dotenvTooBig(limits);
    const packed = await buffer((await deps.blobs.get(sha256)) ?? Readable.from([]));
    const text = await unpack(packed, { maxOutputLength: limits.bytes }).catch((error) => unreadable(error, limits));
    return parseDotenv(text, limits);
  } catch (error) {
    if (error instanceof DotenvError) throw refused(error.message);
    throw error;
  }
}

/** Maximum overhead of compression in bytes. */
const PACKING = 1_024;
/** Hard limits on dotenv reports, whatever the settings allow. */
const MAX_DOTENV: DotenvLimits = { bytes: 1024 * 1024, variables: 10_000 };

async function dotenvLimits(deps: Deps): Promise<DotenvLimits> {
  const { dotenv_size, dotenv_variables } = await planLimits(deps);
  return {
    bytes: Math.min(orUnlimited(dotenv_size), MAX_DOTENV.bytes),
    variables: Math.min(orUnlimited(dotenv_variables), MAX_DOTENV.variables),
  };
}

function unreadable(error: NodeJS.ErrnoException, limits: DotenvLimits): never {
  throw error.code === 'ERR_BUFFER_TOO_LARGE' ? dotenvTooBig(limits) : new DotenvError('Invalid Format');
}

async function enter(
  deps: Deps,
  db: Db,
  job: CiJob,
  blob: StoredBlob,
  filename: string,
  { type, format }: ArtifactAttributes,
  { accessibility, expire_at, variables }: Examined,
): Promise<void> {
  // The row lock keeps the job from ending before this transaction.
  const alive = await db
    .updateTable('ci_jobs')
    .set((eb) => ({ artifacts_expire_at: eb.ref('artifacts_expire_at') }))
    .where('id', '=', job.id)
    .where('status', 'in', EXECUTING)
    .where('erased_at', 'is', null)
    .where('token_digest', '=', job.token_digest)
    .returning('id')
    .executeTakeFirst();
  if (alive === undefined) throw await isNotRunning(db, job.id);
  const { sha256, size } = blob;
  const row = { job_id: job.id, project_id: job.project_id, file_type: type, file_format: format };
  const inserted = await db
    .insertInto('ci_job_artifacts')
    .values({ ...row, filename, size, sha256, accessibility, expire_at, created_at: timestamp(deps.clock) })
    .onConflict((conflict) => conflict.columns(['job_id', 'file_type']).doNothing())
    .returning('id')
    .executeTakeFirst();
  if (inserted === undefined) return requireSame(db, job.id, type, sha256);
  await enqueueArtifactsSize(deps, db, [job.project_id]);
  await db.updateTable('ci_jobs').set({ artifacts_expire_at: expire_at }).where('id', '=', job.id).execute();
  if (variables === null || variables.size === 0) return;
  const source = 'dotenv' as const;
  await db
    .insertInto('ci_job_variables')
    .values(
      [...variables].map(([key, value]) => ({
        ...{ job_id: job.id, key, source },
        value: sealedValue(deps, 'ci_job_variables', value),
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** @throws ApiError 400 */
async function requireSame(db: Db, jobId: number, type: ArtifactTypeName, sha256: string): Promise<void> {
  const there = await db
    .selectFrom('ci_job_artifacts')
    .select('sha256')
    .where('job_id', '=', jobId)
    .where('file_type', '=', type)
    .executeTakeFirst();
  if (there?.sha256 !== sha256) throw refused('another artifact of the same type already exists');
}

/** File name to store: the last component of the sent name, without characters that are invalid in headers. */
function artifactName(sent: string): string {
  const name = sent
    .split(/[/\\]/)
    .at(-1)!
    .replace(/[\x00-\x1f\x7f]/g, '')
    .toWellFormed()
    .slice(0, MAX_FILENAME)
    .toWellFormed();
  return name === '' || name === '.' || name === '..' ? UNNAMED : name;
}
