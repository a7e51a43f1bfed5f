import { sql } from 'kysely';
import type { Caller } from '../access/caller.ts';
import { type CallerInProject, revalidateProjectAbility } from '../access/caller-in-project.ts';
import { requireStorage } from '../access/storage-limit.ts';
import { transactionDeps } from '../access/transaction-deps.ts';
import { timestamp } from '../core/clock.ts';
import { conflict } from '../core/core.errors.ts';
import type { Db } from '../db/db.schema.ts';
import type { PackageFile } from '../db/tables/package-files.table.ts';
import type { Package } from '../db/tables/packages.table.ts';
import type { Deps } from '../deps.ts';
import { enqueueBlobRemoval } from '../storage/unused-blobs.ts';
import { kindOf, nameKeyOf } from './package-kind.ts';
import { insertName } from './package-registry.names.ts';
import { enqueuePackagesSize } from './package-registry.size.ts';
import { isProtectedFrom, packageProtected } from './protection.ts';
import type { ReceivedFile } from './receive.ts';

/** A version of a package to publish. */
export interface Publication {
  caller: Caller;
  projectId: number;
  type: string;
  name: string;
  /** Null for files of a package without a version. */
  version: string | null;
  /** Normalized version; the version itself if absent. */
  versionKey?: string;
  /** Status that the publisher gives it. */
  status?: 'default' | 'hidden' | undefined;
  /** Received files; those that remain unreferenced are removed. */
  files: readonly ReceivedFile[];
}

/** A locked package version in the transaction that publishes it. */
export interface PublishTransaction {
  db: Db;
  standing: CallerInProject;
  row: Package;
  /** Whether this publication created the version. */
  isNew: boolean;
  /** Pipeline of the publishing job. */
  pipelineId: number | null;
}

/** Requirements for adding a file, also from background work. */
type Adding = Pick<PublishTransaction, 'db' | 'row' | 'pipelineId'>;

const TRIES = 3;

/**
 * Publishes a package version or adds to one: checks permissions and protections again, creates the version unless it
 * exists, and calls `enter` in the same transaction. A failure leaves nothing behind.
 * @param refuse makes a registry-specific error for a protected package
 * @throws ApiError 401, 403, 404; errors of `enter`
 */
export async function publish<T>(
  deps: Deps,
  publication: Publication,
  enter: (publishing: PublishTransaction) => Promise<T>,
  refuse: () => Error = packageProtected,
): Promise<T> {
  try {
    return await deps.db.transaction().execute(async (db) => {
      const { caller, projectId } = publication;
      const scope = await revalidateProjectAbility(deps, db, caller, projectId, 'create_package');
      if (publication.files.length > 0) await requireStorage(transactionDeps(deps, db), scope.project);
      if (await isProtectedFrom({ ...deps, db }, scope, publication, 'push')) throw refuse();
      const version = await findOrInsert(deps, db, publication);
      const pipelineId = await pipelineOf(db, caller);
      const publishing = { db, standing: scope, ...version, pipelineId };
      if (pipelineId !== null) await notePipeline(publishing, null);
      const result = await enter(publishing);
      if (publication.files.length > 0) await enqueuePackagesSize(deps, db, projectId);
      return result;
    });
  } catch (error) {
    const received = publication.files.map(({ sha256 }) => sha256);
    if (received.length > 0) await enqueueBlobRemoval(deps, deps.db, received);
    throw error;
  }
}

/** The version, locked until the transaction ends. */
async function findOrInsert(
  deps: Deps,
  db: Db,
  { caller, projectId, type, name, version, versionKey = version ?? '', status }: Publication,
): Promise<{ row: Package; isNew: boolean }> {
  const now = timestamp(deps.clock);
  const nameKey = nameKeyOf(kindOf(deps.packageKinds, type), name);
  const keys = { project_id: projectId, package_type: type, name_key: nameKey, version_key: versionKey };
  const initial = { name, version, status: status ?? 'default' } as const;
  // The version may be removed between the two statements.
  for (let tries = 0; tries < TRIES; tries += 1) {
    const made = await db
      .insertInto('packages')
      .values({ ...keys, ...initial, creator_id: caller.user?.id ?? null, created_at: now, updated_at: now })
      .onConflict((conflict) =>
        conflict
          .columns(['project_id', 'package_type', 'name_key', 'version_key'])
          // Same wording as the index: SQLite does not match a parameter.
          .where(sql<boolean>`status <> 'pending_destruction'`)
          .doNothing(),
      )
      .returningAll()
      .executeTakeFirst();
    if (made !== undefined) {
      await insertName(db, made);
      return { row: made, isNew: true };
    }
    const there = await db
      .updateTable('packages')
      .set((eb) => ({ status: status ?? eb.ref('status') }))
      .where('project_id', '=', projectId)
      .where('package_type', '=', type)
      .where('name_key', '=', nameKey)
      .where('version_key', '=', versionKey)
      .where('status', '<>', 'pending_destruction')
      .returningAll()
      .executeTakeFirst();
    if (there !== undefined) {
      const updated_at = later(now, there.updated_at);
      await db.updateTable('packages').set({ updated_at }).where('id', '=', there.id).execute();
      return { row: { ...there, updated_at }, isNew: false };
    }
  }
  throw conflict();
}

/**
 * The instant, or one after the last change, so that changes within a millisecond have different times, which serve as
 * cache keys.
 */
const later = (now: string, last: string): string => (now > last ? now : new Date(Date.parse(last) + 1).toISOString());

async function pipelineOf(db: Db, { credential }: Caller): Promise<number | null> {
  if (credential.kind !== 'job_token') return null;
  const job = await db
    .selectFrom('ci_jobs')
    .select('pipeline_id')
    .where('id', '=', credential.jobId)
    .executeTakeFirst();
  return job?.pipeline_id ?? null;
}

/** Records the pipeline that published the version or a file of it. */
async function notePipeline({ db, row, pipelineId }: Adding, fileId: number | null): Promise<void> {
  const known = await db
    .selectFrom('package_pipelines')
    .select('id')
    .where('package_id', '=', row.id)
    .where('pipeline_id', '=', pipelineId!)
    .where('package_file_id', fileId === null ? 'is' : '=', fileId)
    .executeTakeFirst();
  if (known !== undefined) return;
  const values = { package_id: row.id, package_file_id: fileId, pipeline_id: pipelineId! };
  await db.insertInto('package_pipelines').values(values).execute();
}

/** Adds a stored file to a version. @param metadata data that only the registry reads */
export async function addFile(
  deps: Deps,
  publishing: Adding,
  file: ReceivedFile,
  name: string,
  metadata: object = {},
): Promise<PackageFile> {
  const { db, row, pipelineId } = publishing;
  const now = timestamp(deps.clock);
  const { size, sha256, md5, sha1 } = file;
  const made = await db
    .insertInto('package_files')
    .values({
      package_id: row.id,
      file_name: name,
      size,
      sha256,
      md5,
      sha1,
      metadata: JSON.stringify(metadata),
      created_at: now,
      updated_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  if (pipelineId !== null) await notePipeline(publishing, made.id);
  return made;
}
