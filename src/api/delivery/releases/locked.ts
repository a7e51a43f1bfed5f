import type { UserCaller } from '../../../access/caller.ts';
import { type CallerInProject, revalidateProjectAbility } from '../../../access/caller-in-project.ts';
import { transactionDeps } from '../../../access/transaction-deps.ts';
import { timestamp } from '../../../core/clock.ts';
import { notFound, refused } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Release } from '../../../db/tables/releases.table.ts';
import type { Deps } from '../../../deps.ts';
import { findRelease } from './releases.find.ts';
import { requireMayRelease } from './releases.rules.ts';

type Writing = 'create_release' | 'update_release' | 'destroy_release';

/**
 * Runs work on a release in a transaction that has checked the rights and the protection of its tag again, and has
 * locked the release.
 * @throws ApiError 401, 403, 404; errors of `work`
 */
export function onLockedRelease<T>(
  deps: Deps,
  { caller, project }: CallerInProject<UserCaller>,
  ability: Writing,
  release: Pick<Release, 'id' | 'tag'>,
  work: (db: Db, release: Release, scope: CallerInProject<UserCaller>) => Promise<T>,
): Promise<T> {
  return deps.db.transaction().execute(async (db) => {
    const scope = await revalidateProjectAbility(deps, db, caller, project.id, ability);
    await requireMayRelease(transactionDeps(deps, db), scope, release.tag);
    // An update locks the row on both engines.
    const locked = await db
      .updateTable('releases')
      .set({ updated_at: timestamp(deps.clock) })
      .where('id', '=', release.id)
      .returningAll()
      .executeTakeFirstOrThrow(() => notFound());
    return work(db, locked, scope);
  });
}

/** Returns the release of a tag if the caller may change it. @throws ApiError 403, 404 */
export async function releaseToWrite(deps: Deps, scope: CallerInProject<UserCaller>, tag: string): Promise<Release> {
  await requireMayRelease(deps, scope, tag);
  const release = await findRelease(deps.db, scope.project.id, tag);
  if (release === undefined) throw refused('Release does not exist', 404);
  return release;
}
