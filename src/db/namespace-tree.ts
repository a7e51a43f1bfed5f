import { sql } from 'kysely';
import { ApiError } from '../core/core.errors.ts';
import type { Db } from './db.schema.ts';
import { asciiLower } from './like.ts';
import type { Namespace } from './tables/namespaces.table.ts';

const rootIdOf = (namespace: Pick<Namespace, 'lineage'>): number => Number(namespace.lineage.split('/')[1]);

/**
 * Locks the top-level namespaces of the given ones, for changes of paths below them: creating, renaming and moving
 * groups and projects. Must be called first in the transaction; use the returned rows.
 * @returns the current rows of the namespaces, in the given order
 * @throws ApiError 409 if one was removed or moved to another tree meanwhile
 */
export async function lockTrees(db: Db, namespaces: readonly Namespace[]): Promise<Namespace[]> {
  const roots = [...new Set(namespaces.map(rootIdOf))].sort((a, b) => a - b);
  for (const root of roots) {
    // An update without a change locks the row on either engine.
    await db.updateTable('namespaces').set({ kind: sql<'group'>`kind` }).where('id', '=', root).execute();
  }
  const ids = namespaces.map(({ id }) => id);
  const rows = ids.length === 0 ? [] : await db.selectFrom('namespaces').selectAll().where('id', 'in', ids).execute();
  return namespaces.map((namespace) => {
    const now = rows.find(({ id }) => id === namespace.id);
    if (now === undefined || rootIdOf(now) !== rootIdOf(namespace))
      throw new ApiError(409, '409 Conflict: Resource lock');
    return now;
  });
}

/**
 * Whether a user, group or project has the full path already. The result stays valid inside a transaction that holds
 * the lock of the tree.
 * @param except id of a namespace or project that may keep its own path
 */
export async function isPathTaken(
  db: Db,
  fullPath: string,
  except: { namespaceId?: number; projectId?: number } = {},
): Promise<boolean> {
  const path = asciiLower(fullPath);
  const namespace = await db
    .selectFrom('namespaces')
    .select('id')
    .where(sql<string>`lower(full_path)`, '=', path)
    .where('id', '!=', except.namespaceId ?? 0)
    .executeTakeFirst();
  if (namespace !== undefined) return true;
  if (path.includes('/')) {
    const project = await db
      .selectFrom('projects')
      .select('id')
      .where(sql<string>`lower(full_path)`, '=', path)
      .where('id', '!=', except.projectId ?? 0)
      .executeTakeFirst();
    return project !== undefined;
  }
  // The ghost user has a username but no namespace.
  const user = await db
    .selectFrom('users as u')
    .select('u.id')
    .where(sql<string>`lower(u.username)`, '=', path)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('namespaces as n')
            .select('n.id')
            .whereRef('n.owner_id', '=', 'u.id')
            .where('n.id', '=', except.namespaceId ?? 0),
        ),
      ),
    )
    .executeTakeFirst();
  return user !== undefined;
}
