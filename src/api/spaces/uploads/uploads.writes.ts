import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { requireStorage } from '../../../access/storage-limit.ts';
import { timestamp } from '../../../core/clock.ts';
import { ApiError, invalidParameter, notFound } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Upload } from '../../../db/tables/uploads.table.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import { UploadedFile } from '../../../http/params/uploaded-file.ts';
import { applicationSettings } from '../../../settings/application-settings.ts';
import { enqueueBlobRemoval } from '../../../storage/unused-blobs.ts';
import { enqueueStatistics } from '../projects/statistics.ts';
import type { Source } from '../spaces.source.ts';
import { uploadName } from './uploads.names.ts';

/** Key of an upload: its id, or secret and file name. */
export type UploadKey = { upload_id: number } | { secret: string; filename: string };

/** Query for the uploads of a project or group. */
export const uploadsOf = (db: Db, source: Pick<Source, 'kind' | 'id'>) =>
  db
    .selectFrom('uploads')
    .selectAll()
    .where(source.kind === 'project' ? 'project_id' : 'group_id', '=', source.id);

/** @throws ApiError 404 */
export async function findUpload(db: Db, source: Pick<Source, 'kind' | 'id'>, key: UploadKey): Promise<Upload> {
  const query = uploadsOf(db, source);
  const upload = await ('upload_id' in key
    ? query.where('id', '=', key.upload_id)
    : query.where('secret', '=', key.secret).where('filename', '=', key.filename)
  ).executeTakeFirst();
  if (upload === undefined) throw notFound('Upload');
  return upload;
}

/** Stores a file: its content in the blob store, then its row. @throws ApiError 400 for an invalid file */
export async function createUpload(
  deps: Deps,
  source: Source,
  user: User,
  file: UploadedFile | string,
): Promise<Upload> {
  if (!(file instanceof UploadedFile)) throw invalidParameter('file is invalid');
  await requireStorage(deps, { namespace_id: source.kind === 'project' ? source.project.namespace_id : source.id });
  const { max_attachment_size } = await applicationSettings(deps);
  if (file.size > max_attachment_size * 1024 * 1024) throw new ApiError(413, '413 Request Entity Too Large');
  const { sha256, size } = await deps.blobs.put(createReadStream(file.path), {
    maxBytes: deps.config.limits.fileBody,
  });
  return deps.db.transaction().execute(async (db) => {
    await requireThere(db, source);
    const row = await db
      .insertInto('uploads')
      .values({
        project_id: source.kind === 'project' ? source.id : null,
        group_id: source.kind === 'group' ? source.id : null,
        secret: randomBytes(16).toString('hex'),
        filename: uploadName(file.filename),
        sha256,
        size,
        uploaded_by_id: user.id,
        created_at: timestamp(deps.clock),
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    if (source.kind === 'project') await enqueueStatistics(deps, db, source.id);
    return row;
  });
}

/** Checks that the project or group was not deleted while the content was received. @throws ApiError 404 */
async function requireThere(db: Db, { kind, id }: Source): Promise<void> {
  const row =
    kind === 'project'
      ? await db
          .selectFrom('projects')
          .select('id')
          .where('id', '=', id)
          .where('pending_delete', '=', 0)
          .executeTakeFirst()
      : await db.selectFrom('namespaces').select('id').where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound(kind === 'project' ? 'Project' : 'Group');
}

/** Deletes an upload; its content is deleted with the last reference. */
export async function deleteUpload(deps: Deps, upload: Upload): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    await db.deleteFrom('uploads').where('id', '=', upload.id).execute();
    await enqueueBlobRemoval(deps, db, [upload.sha256]);
    if (upload.project_id !== null) await enqueueStatistics(deps, db, upload.project_id);
  });
}
