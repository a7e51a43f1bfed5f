import { timestamp } from '../core/clock.ts';
import { notFound } from '../core/core.errors.ts';
import { parseJson } from '../db/columns.ts';
import { isUniqueViolation } from '../db/db.errors.ts';
import type { Db } from '../db/db.schema.ts';
import type { GroupIds } from '../db/lifecycle.ts';
import { lockRow } from '../db/lock-row.ts';
import { lockTrees } from '../db/namespace-tree.ts';
import type { Wiki } from '../db/tables/wikis.table.ts';
import type { Deps } from '../deps.ts';
import { isValidBranchName } from '../git/common/index.ts';
import { createRepository } from '../git/repository/index.ts';
import { defaultBranchName } from './default-branch.ts';
import { LOCATION_COLUMNS, locationOf } from './holder.ts';
import { withNewRepository } from './new-repository.ts';
import { enqueueRemoval } from './repository.removal.ts';

/** Owner of a wiki: a project or a group, by id. */
export interface WikiOwner {
  type: 'project' | 'group';
  id: number;
}

const columnOf = ({ type }: Pick<WikiOwner, 'type'>) => (type === 'project' ? 'project_id' : 'namespace_id');

/** The wiki of a project or group; undefined if it has none. */
export const findWiki = (db: Db, owner: WikiOwner): Promise<Wiki | undefined> =>
  db.selectFrom('wikis').selectAll().where(columnOf(owner), '=', owner.id).executeTakeFirst();

/**
 * Returns the wiki of a project or group, creating it with an empty repository on its first page, push or clone.
 * @throws ApiError 404 if the project or group is deleted or awaits deletion
 */
export async function ensureWiki(deps: Deps, owner: WikiOwner): Promise<Wiki> {
  const existing = await findWiki(deps.db, owner);
  if (existing !== undefined) return existing;
  const defaultBranch = await defaultBranchFor(deps, owner);
  try {
    return await withNewRepository(
      deps,
      (dir) => createRepository(dir, { defaultBranch }),
      async (db, place) => {
        await holdOwner(db, owner);
        const now = timestamp(deps.clock);
        return db
          .insertInto('wikis')
          .values({ [columnOf(owner)]: owner.id, ...place, created_at: now, updated_at: now })
          .returningAll()
          .executeTakeFirstOrThrow();
      },
    );
  } catch (error) {
    const others = isUniqueViolation(error) ? await findWiki(deps.db, owner) : undefined;
    if (others === undefined) throw error;
    return others;
  }
}

/** Locks the project or group, so that its removal waits for the transaction. @throws ApiError 404 */
async function holdOwner(db: Db, { type, id }: WikiOwner): Promise<void> {
  if (type === 'project') {
    if (await lockRow(db, 'projects', id)) return;
    throw notFound('Project');
  }
  const group = await db.selectFrom('namespaces').selectAll().where('id', '=', id).executeTakeFirst();
  if (group === undefined) throw notFound('Group');
  await lockTrees(db, [group]);
}

/** Default branch of its group, else of the instance. */
async function defaultBranchFor(deps: Deps, { type, id }: WikiOwner): Promise<string> {
  const namespace = await deps.db
    .selectFrom('namespaces')
    .select('settings')
    .where('id', '=', (eb) =>
      type === 'project' ? eb.selectFrom('projects').select('namespace_id').where('id', '=', id) : eb.val(id),
    )
    .executeTakeFirst();
  const settings = namespace && parseJson<{ default_branch?: string | null }>(namespace.settings);
  const configuredBranch = settings?.default_branch ?? '';
  return isValidBranchName(configuredBranch) ? configuredBranch : defaultBranchName(deps);
}

/**
 * Removes wikis in the transaction that removes their owners: the rows, which foreign keys would delete as well, and in
 * the background their repositories.
 */
export async function removeWikis(
  deps: Deps,
  db: Db,
  type: WikiOwner['type'],
  owners: readonly number[] | GroupIds,
): Promise<void> {
  const wikis = await db.selectFrom('wikis').select('id').where(columnOf({ type }), 'in', owners).execute();
  if (wikis.length === 0) return;
  const ids = wikis.map(({ id }) => id);
  await db.deleteFrom('ref_intents').where('wiki_id', 'in', ids).execute();
  // A move may have changed the location since the row was read.
  const gone = await db.deleteFrom('wikis').where('id', 'in', ids).returning(LOCATION_COLUMNS).execute();
  for (const row of gone) await enqueueRemoval(deps, db, locationOf(row));
}
