import { type SqlBool, sql } from 'kysely';
import type { Db } from '../db/db.schema.ts';
import type { Deps } from '../deps.ts';
import { jobKind } from '../jobs/jobs.kinds.ts';
import { enqueueBlobRemoval } from '../storage/unused-blobs.ts';
import { deleteNames } from './package-registry.names.ts';
import { enqueuePackagesSize } from './package-registry.size.ts';

/** Removes deleted packages and files. */
const REMOVE = jobKind<Record<string, never>>('packages.remove', { lane: 'slow' });
const BATCH_SIZE = 200;
/** File digests of removed projects per query. */
const BLOBS_AT_ONCE = 5_000;

/** Enqueues the removal of rows in `pending_destruction`, in the transaction that marks them. */
export async function enqueueRemovalOf(deps: Deps, db: Db, projectId: number): Promise<void> {
  await deps.jobs.enqueue(db, REMOVE, {}, { projectId });
  await enqueuePackagesSize(deps, db, projectId);
}

/** Registers the removal of deleted packages, and of the content of packages in removed projects. */
export function registerPackageRemoval(deps: Deps): void {
  deps.jobs.register(REMOVE, (_payload, { signal }) => removeDeleted(deps, signal));
  deps.lifecycle.projectsRemoved.add(async (db, ids) => {
    let last = '';
    while (true) {
      const blobs = await db
        .selectFrom('package_files')
        .innerJoin('packages', 'packages.id', 'package_files.package_id')
        .select('package_files.sha256')
        .distinct()
        .where('packages.project_id', 'in', ids)
        .where('package_files.sha256', '>', last)
        .orderBy('package_files.sha256')
        .limit(BLOBS_AT_ONCE)
        .execute();
      if (blobs.length === 0) return;
      const sha256s = blobs.map(({ sha256 }) => sha256);
      await enqueueBlobRemoval(deps, db, sha256s);
      last = sha256s.at(-1)!;
    }
  });
}

/** Same wording as the partial indexes: SQLite does not match a parameter. */
const ending = (table: 'packages' | 'package_files') =>
  sql<SqlBool>`${sql.ref(`${table}.status`)} = 'pending_destruction'`;

/** Removes a batch of files, or a batch of packages without files, at a time. */
async function removeDeleted(deps: Deps, signal: AbortSignal): Promise<void> {
  const batch = () =>
    deps.db.transaction().execute(async (db) => (await removeFiles(deps, db)) || (await removePackages(db)));
  while (!signal.aborted && (await batch()));
  signal.throwIfAborted();
}

async function removeFiles(deps: Deps, db: Db): Promise<boolean> {
  const ofPackages = await db
    .selectFrom('packages')
    .innerJoin('package_files', 'package_files.package_id', 'packages.id')
    .select('package_files.id')
    .where(ending('packages'))
    .limit(BATCH_SIZE)
    .execute();
  const others = await db
    .selectFrom('package_files')
    .select('id')
    .where(ending('package_files'))
    .limit(BATCH_SIZE)
    .execute();
  const ids = [...ofPackages, ...others].map(({ id }) => id);
  if (ids.length === 0) return false;
  const rows = await db.deleteFrom('package_files').where('id', 'in', ids).returning('sha256').execute();
  await enqueueBlobRemoval(deps, db, [...new Set(rows.map(({ sha256 }) => sha256))]);
  return true;
}

async function removePackages(db: Db): Promise<boolean> {
  const packages = await db.selectFrom('packages').select('id').where(ending('packages')).limit(BATCH_SIZE).execute();
  const ids = packages.map(({ id }) => id);
  if (ids.length === 0) return false;
  const gone = await db
    .deleteFrom('packages')
    .where('id', 'in', ids)
    .returning(['project_id', 'package_type', 'name_key'])
    .execute();
  await deleteNames(db, gone);
  return true;
}
