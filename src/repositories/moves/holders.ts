import { sql } from 'kysely';
import { notFound } from '../../core/core.errors.ts';
import type { Db } from '../../db/db.schema.ts';
import type { StorageMoveKind } from '../../db/tables/storage-moves.table.ts';
import type { Deps } from '../../deps.ts';
import { HOLDER_TYPES, type Holder, type HolderType, LOCATION_COLUMNS, tableOf } from '../holder.ts';

/** A holder whose row is locked. */
export interface LockedHolder extends Holder {
  /** Whether its repository is being imported or moved. */
  busy: boolean;
}

/** Column of `repository_storage_moves` for each kind. */
export const COLUMN_OF = {
  project: 'project_id',
  snippet: 'snippet_id',
  group: 'group_id',
} as const satisfies Record<StorageMoveKind, string>;

const COLUMNS = [...LOCATION_COLUMNS, 'repository_read_only'] as const;

/**
 * Locks the row of a holder, so that no checked write can start. On PostgreSQL it waits for writers that hold the row;
 * later writers see the changes made here.
 */
const locked = (deps: Deps, db: Db, type: HolderType) =>
  db
    .selectFrom(tableOf(type))
    .select(COLUMNS)
    .$if(deps.config.database.kind === 'postgres', (query) => query.forUpdate());

const lockedOf = (type: HolderType, row: Omit<Holder, 'type'> & { repository_read_only: 0 | 1 }): LockedHolder => ({
  ...row,
  type,
  busy: row.repository_read_only === 1,
});

/**
 * Locks the holders of all repositories of a move for the transaction, the main one first.
 * @throws ApiError 404 if the moved object no longer exists
 */
export async function lockMoved(deps: Deps, db: Db, kind: StorageMoveKind, id: number): Promise<LockedHolder[]> {
  const holders: LockedHolder[] = [];
  if (kind !== 'group') {
    const row = await locked(deps, db, kind)
      .where('id', '=', id)
      .$if(kind === 'project', (query) => query.where(sql<number>`pending_delete`, '=', 0))
      .executeTakeFirstOrThrow(() => notFound(HOLDER_TYPES[kind].called));
    holders.push(lockedOf(kind, row));
  }
  if (kind !== 'snippet') {
    const owner = sql<number>`${sql.ref(kind === 'project' ? 'project_id' : 'namespace_id')}`;
    const wiki = await locked(deps, db, 'wiki').where(owner, '=', id).executeTakeFirst();
    if (wiki !== undefined) holders.push(lockedOf('wiki', wiki));
  }
  return holders;
}

/** Locks a holder by type and id for the transaction; undefined if it no longer exists. */
export async function lockHolder(
  deps: Deps,
  db: Db,
  { type, id }: Pick<Holder, 'type' | 'id'>,
): Promise<LockedHolder | undefined> {
  const row = await locked(deps, db, type).where('id', '=', id).executeTakeFirst();
  return row && lockedOf(type, row);
}
