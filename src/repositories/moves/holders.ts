import { sql } from 'kysely';
import { notFound } from '../../core/core.errors.ts';
import type { Db } from '../../db/db.schema.ts';
import type { StorageMoveKind } from '../../db/tables/storage-moves.table.ts';
import type { Deps } from '../../deps.ts';
import { type Holder, LOCATED, ofProject, ofSnippet, ofWiki, tableOf } from '../holder.ts';

/** A holder whose row is locked. */
export interface LockedHolder extends Holder {
  /** Whether its repository is filled or moved. */
  busy: boolean;
}

/** Columns of `repository_storage_moves` that name what is moved. */
export const COLUMN_OF = {
  project: 'project_id',
  snippet: 'snippet_id',
  group: 'group_id',
} as const satisfies Record<StorageMoveKind, string>;

const COLUMNS = [...LOCATED, 'repository_read_only'] as const;

/**
 * Locks what has repositories so that nobody writes who has looked whether they may: on PostgreSQL it waits for those who hold
 * the row for a write, and they then see what is written here.
 */
const locked = (deps: Deps, db: Db, type: Holder['type']) =>
  db
    .selectFrom(tableOf(type))
    .select(COLUMNS)
    .$if(deps.config.database.kind === 'postgres', (query) => query.forUpdate());

/**
 * The holders of the repositories that a move takes along, locked for the transaction: the main one first.
 * @throws ApiError 404 where what is to be moved is gone
 */
export async function lockMoved(deps: Deps, db: Db, kind: StorageMoveKind, id: number): Promise<LockedHolder[]> {
  const holders: LockedHolder[] = [];
  if (kind === 'project') {
    const row = await locked(deps, db, 'project')
      .where('id', '=', id)
      .where(sql<number>`pending_delete`, '=', 0)
      .executeTakeFirst();
    if (row === undefined) throw notFound('Project');
    holders.push({ ...ofProject(row), busy: row.repository_read_only === 1 });
  }
  if (kind === 'snippet') {
    const row = await locked(deps, db, 'snippet').where('id', '=', id).executeTakeFirst();
    if (row === undefined) throw notFound('Snippet');
    return [{ ...ofSnippet(row), busy: row.repository_read_only === 1 }];
  }
  const wiki = await locked(deps, db, 'wiki')
    .where(sql<number>`${sql.ref(kind === 'project' ? 'project_id' : 'namespace_id')}`, '=', id)
    .executeTakeFirst();
  if (wiki !== undefined) holders.push({ ...ofWiki(wiki), busy: wiki.repository_read_only === 1 });
  return holders;
}

/** A holder by its type and id, locked for the transaction; undefined when it is gone. */
export async function lockHolder(
  deps: Deps,
  db: Db,
  { type, id }: Pick<Holder, 'type' | 'id'>,
): Promise<Omit<LockedHolder, 'type' | 'id'> | undefined> {
  const row = await locked(deps, db, type).where('id', '=', id).executeTakeFirst();
  return row && { ...row, busy: row.repository_read_only === 1 };
}
