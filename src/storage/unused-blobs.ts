import type { SelectQueryBuilder } from 'kysely';
import { backupRuns } from '../db/backup-lease.ts';
import type { Db, Schema } from '../db/db.schema.ts';
import { inBatches } from '../db/in-batches.ts';
import { startsWith } from '../db/like.ts';
import type { Deps } from '../deps.ts';
import { jobKind } from '../jobs/jobs.kinds.ts';

/** Key of the appearance settings among the instance values. */
export const APPEARANCE_KEY = 'appearance';

const REMOVE = jobKind<{ sha256s: string[] }>('blobs.remove_unused', { lane: 'slow' });
/** Longer than the time between the end of an upload and the row that refers to it. */
const GRACE_MS = 3_600_000;
const BATCH = 500;

/**
 * Enqueues the removal of blobs whose rows are deleted, unless other rows refer to them. Takes the handle of the
 * transaction that deletes the rows. The content is removed an hour later, when no upload in progress can rely on it.
 */
export async function enqueueBlobRemoval(deps: Deps, db: Db, sha256s: readonly string[]): Promise<void> {
  const runAt = new Date(deps.clock.now().getTime() + GRACE_MS);
  for (let from = 0; from < sha256s.length; from += BATCH) {
    await deps.jobs.enqueue(db, REMOVE, { sha256s: sha256s.slice(from, from + BATCH) }, { runAt });
  }
}

/** Registers the job behind `enqueueBlobRemoval`. */
export function registerBlobRemoval(deps: Deps): void {
  deps.jobs.register(REMOVE, async ({ sha256s }) => {
    // A running backup may need unreferenced blobs.
    if (await backupRuns(deps.db, deps.clock)) return enqueueBlobRemoval(deps, deps.db, sha256s);
    for (const sha256 of sha256s) {
      if (await isUsed(deps.db, sha256)) continue;
      await deps.blobs.delete(sha256, new Date(deps.clock.now().getTime() - GRACE_MS));
    }
  });
}

/** Whether a row refers to the blob. All tables with blobs must be queried here and in `usedBlobs`. */
async function isUsed(db: Db, sha256: string): Promise<boolean> {
  const upload = await db.selectFrom('uploads').select('id').where('sha256', '=', sha256).limit(1).execute();
  const lfs = await db.selectFrom('lfs_objects').select('oid').where('oid', '=', sha256).limit(1).execute();
  const artifact = await db.selectFrom('ci_job_artifacts').select('id').where('sha256', '=', sha256).limit(1).execute();
  const file = await db.selectFrom('package_files').select('id').where('sha256', '=', sha256).limit(1).execute();
  const state = await db
    .selectFrom('terraform_state_versions')
    .select('id')
    .where('sha256', '=', sha256)
    .limit(1)
    .execute();
  if (upload.length + lfs.length + artifact.length + file.length + state.length > 0) return true;
  for (const table of ['relation_exports', 'relation_export_batches'] as const) {
    const exported = await db.selectFrom(table).select('id').where('sha256', '=', sha256).limit(1).execute();
    if (exported.length > 0) return true;
  }
  for (const table of ['users', 'namespaces', 'projects', 'topics'] as const) {
    const [avatar] = await db
      .selectFrom(table)
      .select('avatar')
      .where((eb) => startsWith(eb, eb.ref('avatar').$castTo<string>(), `${sha256}/`))
      .limit(1)
      .execute();
    if (avatar !== undefined) return true;
  }
  const look = await db
    .selectFrom('instance_values')
    .select('value')
    .where('key', '=', APPEARANCE_KEY)
    .executeTakeFirst();
  return look?.value.includes(`"${sha256}/`) === true;
}

/** A referenced blob: its use, and its size in bytes if the row contains it. */
export interface UsedBlob {
  sha256: string;
  use: string;
  size: number | null;
}

/** All referenced blobs, a batch of rows at a time; a blob with several references appears several times. */
export async function* usedBlobs(db: Db): AsyncGenerator<UsedBlob, void, void> {
  yield* blobsOf(db.selectFrom('uploads').select(['id', 'sha256', 'size']), ({ id, sha256, size }) => ({
    sha256,
    size,
    use: `upload ${id}`,
  }));
  yield* blobsOf(
    db.selectFrom('ci_job_artifacts').select(['id', 'job_id', 'file_type', 'sha256', 'size']),
    ({ job_id, file_type, sha256, size }) => ({ sha256, size, use: `${file_type} of job ${job_id}` }),
  );
  yield* blobsOf(
    db.selectFrom('package_files').select(['id', 'package_id', 'sha256', 'size']),
    ({ id, package_id, sha256, size }) => ({ sha256, size, use: `file ${id} of package ${package_id}` }),
  );
  yield* blobsOf(
    db.selectFrom('terraform_state_versions').select(['id', 'terraform_state_id', 'serial', 'sha256', 'size']),
    ({ terraform_state_id, serial, sha256, size }) => ({
      sha256,
      size,
      use: `serial ${serial} of Terraform state ${terraform_state_id}`,
    }),
  );
  for (const table of ['relation_exports', 'relation_export_batches'] as const) {
    yield* blobsOf(
      db.selectFrom(table).select(['id', 'sha256', 'size']).where('sha256', 'is not', null),
      ({ id, sha256, size }) => ({ sha256: sha256!, size, use: `${table} ${id}` }),
    );
  }
  for (const table of ['users', 'namespaces', 'projects', 'topics'] as const) {
    yield* blobsOf(db.selectFrom(table).select(['id', 'avatar']).where('avatar', 'is not', null), ({ id, avatar }) => ({
      sha256: avatar!.split('/', 1)[0]!,
      size: null,
      use: `avatar of ${table} ${id}`,
    }));
  }
  const objects = db.selectFrom('lfs_objects').select(['oid', 'size']).distinct();
  for await (const rows of inBatches(objects, BATCH, 'oid')) {
    for (const { oid, size } of rows) yield { sha256: oid, size, use: `LFS object ${oid}` };
  }
}

async function* blobsOf<Table extends keyof Schema, Row extends { id: number }>(
  query: SelectQueryBuilder<Schema, Table, Row>,
  describe: (row: Row) => UsedBlob,
): AsyncGenerator<UsedBlob, void, void> {
  for await (const rows of inBatches(query, BATCH, 'id')) yield* rows.map(describe);
}
