import type { Caller } from '../../access/caller.ts';
import { timestamp } from '../../core/clock.ts';
import { environmentFaultOf } from '../../core/environment-fault.ts';
import type { Db } from '../../db/db.schema.ts';
import { lockRow } from '../../db/lock-row.ts';
import { EXPORT_STATUS, type RelationExport, WHOLE_PROJECT } from '../../db/tables/relation-exports.table.ts';
import type { Deps } from '../../deps.ts';
import { jobKind } from '../../jobs/jobs.kinds.ts';
import { requestExternal } from '../../outbound/outbound.request.ts';
import { BlockedAddress, parseHttpUrl } from '../../outbound/outbound.resolve.ts';
import { outboundRules } from '../../settings/outbound-rules.ts';
import { BlobError } from '../../storage/blob-store.ts';
import { enqueueBlobRemoval } from '../../storage/unused-blobs.ts';
import type { Portable } from '../relations/relation.ts';
import { ProjectArchive } from './export.archive.ts';
import { type WrittenContent, writeArchive } from './export.content.ts';
import { exporterOf, portableOf } from './export.run.ts';
import { GroupArchive } from './group-archive.ts';

/** URL to which an archive is uploaded when it is ready, instead of being stored for download. */
export interface Destination {
  url: string;
  method: 'PUT' | 'POST';
}

interface ArchiveJob {
  export_id: number;
  /** Destination with encrypted URL. */
  upload: Destination | null;
  /** Time of the request; differs from the row if there was a later request. */
  asked_at: string;
}

const UPLOAD_MS = 3_600_000;
/** Purpose of the encryption of destination URLs, which allow writing. */
const PURPOSE = 'project_exports.upload';
const ARCHIVE = jobKind<ArchiveJob>('project_exports.run', {
  lane: 'transfers',
  maxAttempts: 5,
  timeoutMs: 6 * 3_600_000,
});

/** Finds the archive of a group or project, finished or in progress. */
export const findArchive = (db: Db, { kind, id }: Pick<Portable, 'kind' | 'id'>): Promise<RelationExport | undefined> =>
  db
    .selectFrom('relation_exports')
    .selectAll()
    .where(`${kind}_id`, '=', id)
    .where('relation', '=', WHOLE_PROJECT)
    .executeTakeFirst();

/** Enqueues the export of a group or project into an archive; the previous one stays available until it is done. */
export async function startArchive(
  deps: Deps,
  db: Db,
  { kind, id }: Pick<Portable, 'kind' | 'id'>,
  { userId, upload }: { userId: number | null; upload: Destination | null },
): Promise<void> {
  await lockRow(db, kind === 'group' ? 'namespaces' : 'projects', id);
  const now = timestamp(deps.clock);
  const state = {
    status: EXPORT_STATUS.started,
    batches_count: 0,
    error: null,
    user_id: userId,
    created_at: now,
    updated_at: now,
  };
  const row = await db
    .insertInto('relation_exports')
    .values({
      ...state,
      project_id: kind === 'project' ? id : null,
      group_id: kind === 'group' ? id : null,
      relation: WHOLE_PROJECT,
      batched: 0,
      sha256: null,
      size: null,
    })
    .onConflict((conflict) => conflict.columns([`${kind}_id`, 'relation']).doUpdateSet(state))
    .returning('id')
    .executeTakeFirstOrThrow();
  const sealed = upload && { ...upload, url: deps.secrets.seal(upload.url, PURPOSE) };
  const job = { export_id: row.id, upload: sealed, asked_at: now };
  await deps.jobs.enqueue(db, ARCHIVE, job, { projectId: kind === 'project' ? id : null });
}

/** Uploads an archive to its destination. @returns the error message of a refusal; null on success */
async function send(
  deps: Deps,
  { url, method }: Destination,
  { sha256, size }: WrittenContent,
  signal: AbortSignal,
): Promise<string | null> {
  const address = deps.secrets.open(url, PURPOSE);
  if (address === null) return 'The upload URL cannot be decrypted.';
  const body = await deps.blobs.get(sha256);
  if (body === null) return 'The archive no longer exists.';
  try {
    const answer = await requestExternal(parseHttpUrl(address), await outboundRules(deps), {
      method,
      headers: { 'content-type': 'application/gzip', 'content-length': String(size) },
      body,
      signal: AbortSignal.any([signal, AbortSignal.timeout(UPLOAD_MS)]),
    });
    answer.destroy();
    const { statusCode = 0 } = answer;
    return statusCode >= 200 && statusCode < 300 ? null : `The upload server answered with status ${statusCode}.`;
  } catch (error) {
    if (error instanceof BlockedAddress) return `The upload URL ${error.message}`;
    throw error;
  } finally {
    body.destroy();
  }
}

/** Stores the result of an export, unless there was a later request or its object is gone; deletes unneeded files. */
async function enter(deps: Deps, job: ArchiveJob, file: WrittenContent | null, error: string | null): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    const asked = () => db.selectFrom('relation_exports').where('id', '=', job.export_id);
    const before = await asked().select(['sha256', 'created_at']).executeTakeFirst();
    const counts = before !== undefined && before.created_at === job.asked_at;
    if (file !== null && before?.sha256 !== file.sha256) {
      const unused = counts ? before.sha256 : file.sha256;
      if (unused !== null) await enqueueBlobRemoval(deps, db, [unused]);
    }
    if (!counts) return;
    await db
      .updateTable('relation_exports')
      .set({
        ...(file === null ? {} : { sha256: file.sha256, size: file.size, total_objects_count: file.count }),
        status: error === null ? EXPORT_STATUS.finished : EXPORT_STATUS.failed,
        error,
        updated_at: timestamp(deps.clock),
      })
      .where('id', '=', job.export_id)
      .where('created_at', '=', job.asked_at)
      .execute();
  });
}

/** Creates the archive, and stores or uploads it. @throws errors of both */
async function make(
  deps: Deps,
  job: ArchiveJob,
  portable: Portable,
  caller: Caller,
  signal: AbortSignal,
): Promise<void> {
  const archive =
    portable.kind === 'project'
      ? new ProjectArchive(deps, portable.project, caller, signal)
      : new GroupArchive(deps, portable.group, caller, signal);
  try {
    const file = await writeArchive(deps, archive.files());
    if (job.upload === null) return await enter(deps, job, file, null);
    const problem = await send(deps, job.upload, file, signal).finally(() =>
      enqueueBlobRemoval(deps, deps.db, [file.sha256]),
    );
    await enter(deps, job, null, problem);
  } finally {
    await archive.dispose();
  }
}

/** Registers the job of `startArchive`. */
export function registerArchives(deps: Deps): void {
  deps.jobs.register(ARCHIVE, async (job, { signal, attempts }) => {
    const { db } = deps;
    const row = await db.selectFrom('relation_exports').selectAll().where('id', '=', job.export_id).executeTakeFirst();
    const counts = row?.created_at === job.asked_at && row.status === EXPORT_STATUS.started;
    // Each upload is a request of its own, regardless of later requests.
    if (row === undefined || (!counts && job.upload === null)) return;
    const begun = { batches_count: 1, updated_at: timestamp(deps.clock) };
    if (counts) await db.updateTable('relation_exports').set(begun).where('id', '=', row.id).execute();
    const portable = await portableOf(db, row);
    if (portable === undefined) return;
    try {
      await make(deps, job, portable, await exporterOf(deps, row), signal);
    } catch (error) {
      const tooLarge = error instanceof BlobError && error.code === 'too_large';
      if (signal.aborted || environmentFaultOf(error) !== null || (!tooLarge && attempts < ARCHIVE.maxAttempts))
        throw error;
      const { kind, id } = portable;
      deps.log.log('error', 'export archive failed', { kind, id, error: String(error) });
      const problem = tooLarge ? 'The archive exceeds the maximum export size.' : `The ${kind} could not be exported.`;
      await enter(deps, job, null, problem);
    }
  });
}
