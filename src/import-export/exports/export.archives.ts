import type { Caller } from '../../access/caller.ts';
import { timestamp } from '../../core/clock.ts';
import { environmentFaultOf } from '../../core/environment-fault.ts';
import type { Db } from '../../db/db.schema.ts';
import { lockRow } from '../../db/lock-row.ts';
import { EXPORT_STATUS, type RelationExport, WHOLE } from '../../db/tables/relation-exports.table.ts';
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

/** Where an archive is sent when it is ready, instead of waiting to be fetched. */
export interface Destination {
  url: string;
  method: 'PUT' | 'POST';
}

interface ArchiveJob {
  export_id: number;
  /** With its address sealed. */
  upload: Destination | null;
  /** By which the row says that nobody has asked since. */
  asked_at: string;
}

const UPLOAD_MS = 3_600_000;
/** What addresses of destinations are sealed for: whoever has one can write there. */
const PURPOSE = 'project_exports.upload';
const ARCHIVE = jobKind<ArchiveJob>('project_exports.run', {
  lane: 'transfers',
  maxAttempts: 5,
  timeoutMs: 6 * 3_600_000,
});

/** The archive of a group or project, or what is being made of it. */
export const findArchive = (db: Db, { kind, id }: Pick<Portable, 'kind' | 'id'>): Promise<RelationExport | undefined> =>
  db
    .selectFrom('relation_exports')
    .selectAll()
    .where(`${kind}_id`, '=', id)
    .where('relation', '=', WHOLE)
    .executeTakeFirst();

/** Has a group or project packed into one archive; one that was packed before can be had until then. */
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
      relation: WHOLE,
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

/** Sends an archive where it shall go. @returns why it was not taken there */
async function send(
  deps: Deps,
  { url, method }: Destination,
  { sha256, size }: WrittenContent,
  signal: AbortSignal,
): Promise<string | null> {
  const address = deps.secrets.open(url, PURPOSE);
  if (address === null) return 'The address cannot be read.';
  const body = await deps.blobs.get(sha256);
  if (body === null) return 'The archive is gone.';
  try {
    const answer = await requestExternal(parseHttpUrl(address), await outboundRules(deps), {
      method,
      headers: { 'content-type': 'application/gzip', 'content-length': String(size) },
      body,
      signal: AbortSignal.any([signal, AbortSignal.timeout(UPLOAD_MS)]),
    });
    answer.destroy();
    const { statusCode = 0 } = answer;
    return statusCode >= 200 && statusCode < 300 ? null : `The other server answers with status ${statusCode}.`;
  } catch (error) {
    if (error instanceof BlockedAddress) return `The address ${error.message}`;
    throw error;
  } finally {
    body.destroy();
  }
}

/** Enters what came of an export, unless it was asked for anew or what it is of is gone; bytes that nothing needs go. */
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

/** Makes the archive, and keeps it or sends it away. @throws what making and sending fail with */
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

/** Names the work behind `startArchive`. */
export function registerArchives(deps: Deps): void {
  deps.jobs.register(ARCHIVE, async (job, { signal, attempts }) => {
    const { db } = deps;
    const row = await db.selectFrom('relation_exports').selectAll().where('id', '=', job.export_id).executeTakeFirst();
    const counts = row?.created_at === job.asked_at && row.status === EXPORT_STATUS.started;
    // What is sent elsewhere was asked for by itself, whatever was asked for since.
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
      deps.log.log('error', 'an archive could not be made', { kind, id, error: String(error) });
      const problem = tooLarge
        ? 'The archive would be larger than administrators allow.'
        : `The ${kind} could not be exported.`;
      await enter(deps, job, null, problem);
    }
  });
}
