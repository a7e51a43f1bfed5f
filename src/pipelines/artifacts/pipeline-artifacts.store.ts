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
/** What a file of no name is called. */
const UNNAMED = 'artifacts.zip';

/** What a runner says of a file. */
export interface ArtifactAttributes {
  type: ArtifactTypeName;
  format: CiJobArtifact['file_format'];
  expireIn: string | undefined;
  accessibility: 'public' | 'private' | undefined;
}

export const tooLargeArtifact = () =>
  new ApiError(413, 'file size has reached maximum size limit', {}, { Connection: 'close' });

/** Stores the bytes of an artifact while they come. @throws ApiError 413 */
export async function storeArtifactBytes(deps: Deps, bytes: Readable, maxBytes: number): Promise<StoredBlob> {
  try {
    return await deps.blobs.put(bytes, { maxBytes });
  } catch (error) {
    if (error instanceof BlobError && error.code === 'too_large') throw tooLargeArtifact();
    throw error;
  }
}

/**
 * Gives a job that runs a file whose bytes are stored; the same file again changes nothing. Reports of variables are read.
 * @param max bytes that any artifact of the project may have
 * @throws ApiError 400, 413; 403 when the job has come to its end meanwhile
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

/** What of a file must hold whatever the database says. @throws ApiError 400, 413 */
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
  const said = words.accessibility;
  return {
    accessibility: said === undefined ? (artifacts?.access ?? 'all') : said === 'public' ? 'all' : 'developer',
    expire_at: expiryOf(deps, words.expireIn || artifacts?.expireIn || default_artifacts_expire_in || '0'),
    variables: words.type === 'dotenv' ? await readDotenv(deps, blob) : null,
  };
}

async function configuredArtifacts(db: Db, jobId: number): Promise<JobOptions['artifacts']> {
  const row = await db.selectFrom('ci_job_configs').select('options').where('job_id', '=', jobId).executeTakeFirst();
  return row === undefined ? null : parseJson<JobOptions>(row.options).artifacts;
}

/** When an artifact of now ends; null for never. @throws ApiError 400 */
function expiryOf({ clock }: Deps, expireIn: string): string | null {
  const seconds = expireIn.trim() === '0' ? 'never' : parseExpiry(expireIn);
  if (seconds === null) throw invalidParameter('expire_in is invalid');
  if (seconds === 'never') return null;
  const end = new Date(clock.now().getTime() + seconds * 1_000);
  // Beyond what a date can hold nobody waits for the end.
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

/** Bytes that packing can add. */
const PACKING = 1_024;
/** What a report of variables is bounded by, whatever administrators allow. */
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
  // The lock on its row keeps the job from ending before this does.
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
  const kept = await db
    .insertInto('ci_job_artifacts')
    .values({ ...row, filename, size, sha256, accessibility, expire_at, created_at: timestamp(deps.clock) })
    .onConflict((conflict) => conflict.columns(['job_id', 'file_type']).doNothing())
    .returning('id')
    .executeTakeFirst();
  if (kept === undefined) return requireSame(db, job.id, type, sha256);
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

/** The name that a file is kept under: the last part of what was sent, without what no header can hold. */
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
