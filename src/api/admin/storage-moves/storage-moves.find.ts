import { recordNotFound } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { StorageMove, StorageMoveKind } from '../../../db/tables/storage-moves.table.ts';
import { COLUMN_OF } from '../../../repositories/moves/holders.ts';

/** Moves of a kind. @param moved only of the project, snippet or group with this id */
const movesOf = (db: Db, kind: StorageMoveKind, moved: number | null) =>
  db
    .selectFrom('repository_storage_moves')
    .selectAll()
    .where('kind', '=', kind)
    .$if(moved !== null, (query) => query.where(COLUMN_OF[kind], '=', moved));

/** Lists moves, newest first. @param moved as in `movesOf` */
export const listMoves = (db: Db, kind: StorageMoveKind, moved: number | null) =>
  movesOf(db, kind, moved).orderBy('id', 'desc');

/** Finds a move by its id. @throws ApiError 404 */
export async function findMove(db: Db, kind: StorageMoveKind, moved: number | null, id: number): Promise<StorageMove> {
  return movesOf(db, kind, moved).where('id', '=', id).executeTakeFirstOrThrow(recordNotFound);
}
