import { timestamp } from '../../core/clock.ts';
import { faultOf } from '../../core/surroundings.ts';
import { lockRow } from '../../db/lock-row.ts';
import type { Db } from '../../db/schema.ts';
import { EXPORT_STATUS, type RelationExport, WHOLE } from '../../db/tables/relation-exports.ts';
import type { Deps } from '../../deps.ts';
import { jobKind } from '../../jobs/kinds.ts';
import { requestOutside } from '../../outbound/request.ts';
import { BlockedAddress, parseHttpUrl } from '../../outbound/resolve.ts';
import { outboundRules } from '../../settings/outbound-rules.ts';
import { BlobError } from '../../storage/blob-store.ts';
import { enqueueBlobRemoval } from '../../storage/unused-blobs.ts';
import { ProjectArchive } from './archive.ts';
import { type Written, writeArchive } from './content.ts';

/** Where an archive is sent when it is ready, instead of waiting to be fetched. */
export interface Destination {
  url: string;
  method: 'PUT' | 'POST';
}

const UPLOAD_MS = 3_600_000;
/** What addresses of destinations are sealed for: whoever has one can write there. */
const PURPOSE = 'project_exports.upload';
const ARCHIVE = jobKind<{ export_id: number; upload: Destination | null }>('project_exports.run', {
  lane: 'transfers',
  maxAttempts: 5,
  timeoutMs: 6 * 3_600_000,
});

/** The archive of a project, or what is being made of it. */
export const findProjectExport = (db: Db, projectId: number): Promise<RelationExport | undefined> =>
  db
    .selectFrom('relation_exports')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('relation', '=', WHOLE)
    .executeTakeFirst();

/** Has a project packed into one archive; one that was packed before can be had until then. */
export async function startProjectExport(
  deps: Deps,
  db: Db,
  projectId: number,
  { userId, upload }: { userId: number | null; upload: Destination | null },
): Promise<void> {
  await lockRow(db, 'projects', projectId);
  const now = timestamp(deps.clock);
  const state = { status: EXPORT_STATUS.started, batches_count: 0, error: null, user_id: userId, updated_at: now };
  const { id } = await db
    .insertInto('relation_exports')
    .values({
      ...state,
      project_id: projectId,
      group_id: null,
      relation: WHOLE,
      batched: 0,
      sha256: null,
      size: null,
      created_at: now,
    })
    .onConflict((conflict) => conflict.columns(['project_id', 'relation']).doUpdateSet(state))
    .returning('id')
    .executeTakeFirstOrThrow();
  const sealed = upload && { ...upload, url: deps.secrets.seal(upload.url, PURPOSE) };
  await deps.jobs.enqueue(db, ARCHIVE, { export_id: id, upload: sealed }, { uniqueKey: id, projectId });
}

async function send(
  deps: Deps,
  { url, method }: Destination,
  { sha256, size }: Written,
  signal: AbortSignal,
): Promise<string | null> {
  const body = await deps.blobs.get(sha256);
  if (body === null) return 'The archive is gone.';
  try {
    const answer = await requestOutside(parseHttpUrl(url), await outboundRules(deps), {
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

/** Enters the archive, unless the project is gone; what was there before goes. */
async function enter(deps: Deps, row: RelationExport, file: Written | null, error: string | null): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    const before = await db.selectFrom('relation_exports').select('sha256').where('id', '=', row.id).executeTakeFirst();
    const columns = file === null ? {} : { sha256: file.sha256, size: file.size, total_objects_count: file.count };
    await db
      .updateTable('relation_exports')
      .set({
        ...columns,
        status: error === null ? EXPORT_STATUS.finished : EXPORT_STATUS.failed,
        error,
        updated_at: timestamp(deps.clock),
      })
      .where('id', '=', row.id)
      .execute();
    const unused = before === undefined ? file?.sha256 : file === null ? null : before.sha256;
    if (unused && unused !== file?.sha256) await enqueueBlobRemoval(deps, db, [unused]);
    if (before === undefined && file !== null) await enqueueBlobRemoval(deps, db, [file.sha256]);
  });
}

/** Names the work behind `startProjectExport`. */
export function registerProjectExports(deps: Deps): void {
  deps.jobs.register(ARCHIVE, async ({ export_id, upload }, { signal, attempts }) => {
    const row = await deps.db
      .updateTable('relation_exports')
      .set({ batches_count: 1, updated_at: timestamp(deps.clock) })
      .where('id', '=', export_id)
      .where('status', '=', EXPORT_STATUS.started)
      .returningAll()
      .executeTakeFirst();
    const project =
      row && (await deps.db.selectFrom('projects').selectAll().where('id', '=', row.project_id).executeTakeFirst());
    if (row === undefined || project === undefined) return;
    const archive = new ProjectArchive(deps, project, signal);
    try {
      const file = await writeArchive(deps, archive.files());
      if (upload === null) return await enter(deps, row, file, null);
      const url = deps.secrets.open(upload.url, PURPOSE);
      const problem = url === null ? 'The address cannot be read.' : await send(deps, { ...upload, url }, file, signal);
      await enqueueBlobRemoval(deps, deps.db, [file.sha256]);
      await enter(deps, row, null, problem);
    } catch (error) {
      const tooLarge = error instanceof BlobError && error.code === 'too_large';
      if (signal.aborted || faultOf(error) !== null || (!tooLarge && attempts < ARCHIVE.maxAttempts)) throw error;
      deps.log.log('error', 'a project could not be exported', { project_id: project.id, error: String(error) });
      await enter(
        deps,
        row,
        null,
        tooLarge ? 'The archive would be larger than administrators allow.' : 'The project could not be exported.',
      );
    } finally {
      await archive.dispose();
    }
  });
}
