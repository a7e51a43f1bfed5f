import type { SelectQueryBuilder } from 'kysely';
import { pluck } from '../../../core/pluck.ts';
import type { Db, Schema } from '../../../db/db.schema.ts';
import type { Deps } from '../../../deps.ts';
import { enqueueBlobRemoval } from '../../../storage/unused-blobs.ts';

/**
 * Deletes the uploads of projects or groups that are being deleted, with the handle of that transaction; their content
 * follows.
 * @param ids ids, or a query for them
 */
export async function removeUploads(
  deps: Deps,
  db: Db,
  type: 'project' | 'group',
  ids: readonly number[] | SelectQueryBuilder<Schema, 'namespaces', { id: number }>,
): Promise<void> {
  const column = `${type}_id` as const;
  const blobs = await db.selectFrom('uploads').select('sha256').distinct().where(column, 'in', ids).execute();
  if (blobs.length === 0) return;
  await db.deleteFrom('uploads').where(column, 'in', ids).execute();
  await enqueueBlobRemoval(deps, db, pluck(blobs, 'sha256'));
}
