import { sql } from 'kysely';
import type { Caller } from '../../../access/caller.ts';
import { revalidateProjectAbility } from '../../../access/caller-in-project.ts';
import { timestamp } from '../../../core/clock.ts';
import { notFound } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Package } from '../../../db/tables/packages.table.ts';
import type { Deps } from '../../../deps.ts';
import { findVersion } from '../../../packages/package-registry.find.ts';
import { isProtectedFrom, packageProtected } from '../../../packages/protection.ts';
import { npmError } from './npm.errors.ts';

/** Maximum number of tags per package. */
export const MAX_TAGS = 500;

/** Caller, package and tag of a change. */
export interface TagChange {
  caller: Caller;
  projectId: number;
  name: string;
  tag: string;
}

/** Sets a tag to a version, in the transaction of the caller. @throws ApiError 400 */
export async function pointTag(deps: Deps, db: Db, row: Package, tag: string): Promise<void> {
  const now = timestamp(deps.clock);
  const { project_id, name_key, id } = row;
  await db
    .insertInto('package_tags')
    .values({ project_id, name_key, name: tag, package_type: 'npm', package_id: id, created_at: now, updated_at: now })
    .onConflict((conflict) =>
      conflict
        .columns(['project_id', 'name_key', 'name'])
        // Literal as in the index: with a parameter SQLite would not use it.
        .where(sql<boolean>`package_type = 'npm'`)
        .doUpdateSet({ package_id: id, updated_at: now }),
    )
    .execute();
  const { count } = await db
    .selectFrom('package_tags')
    .select((eb) => eb.fn.countAll<number | string>().as('count'))
    .where('project_id', '=', project_id)
    .where('name_key', '=', name_key)
    .where('package_type', '=', 'npm')
    .executeTakeFirstOrThrow();
  if (Number(count) > MAX_TAGS) throw npmError(400, `A package has at most ${MAX_TAGS} tags.`);
}

/** Sets a tag to another existing version. @throws ApiError 400, 401, 403, 404 */
export async function setTag(deps: Deps, change: TagChange, version: string): Promise<void> {
  const { caller, projectId, name, tag } = change;
  await deps.db.transaction().execute(async (db) => {
    const scope = await revalidateProjectAbility(deps, db, caller, projectId, 'create_package');
    if (await isProtectedFrom({ ...deps, db }, scope, { type: 'npm', name }, 'push')) throw packageProtected();
    const key = { type: 'npm', nameKey: name, versionKey: version };
    const row = await findVersion(db, { projectId }, key);
    if (row === undefined || !(await isStillThere(db, row.id))) throw notFound('Package');
    await pointTag(deps, db, row, tag);
  });
}

/** Whether the version still exists; locks it until the transaction ends. */
async function isStillThere(db: Db, id: number): Promise<boolean> {
  const row = await db
    .updateTable('packages')
    .set({ updated_at: sql<string>`updated_at` })
    .where('id', '=', id)
    .where('status', '<>', 'pending_destruction')
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Deletes a tag. @throws ApiError 401, 403, 404 */
export async function removeTag(deps: Deps, { caller, projectId, name, tag }: TagChange): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    const scope = await revalidateProjectAbility(deps, db, caller, projectId, 'destroy_package');
    if (await isProtectedFrom({ ...deps, db }, scope, { type: 'npm', name }, 'push')) throw packageProtected();
    await db
      .deleteFrom('package_tags')
      .where('project_id', '=', projectId)
      .where('package_type', '=', 'npm')
      .where('name_key', '=', name)
      .where('name', '=', tag)
      .returning('id')
      .executeTakeFirstOrThrow(() => notFound('Package Tag'));
  });
}
