import type { UserCaller } from '../../../access/caller.ts';
import { requireStill, type Standing } from '../../../access/standing.ts';
import { within } from '../../../access/within.ts';
import { timestamp } from '../../../core/clock.ts';
import { notFound, refused } from '../../../core/errors.ts';
import type { Db } from '../../../db/schema.ts';
import type { Release } from '../../../db/tables/releases.ts';
import type { Deps } from '../../../deps.ts';
import { findRelease } from './find.ts';
import { requireMayRelease } from './rules.ts';

type Writing = 'create_release' | 'update_release' | 'destroy_release';

/**
 * Does something to a release in a transaction that has looked at the rights and the protection of its tag once more, and
 * has locked the release.
 * @throws ApiError 401, 403, 404; what `work` throws
 */
export function onRelease<T>(
  deps: Deps,
  { caller, project }: Standing<UserCaller>,
  ability: Writing,
  release: Pick<Release, 'id' | 'tag'>,
  work: (db: Db, release: Release, standing: Standing<UserCaller>) => Promise<T>,
): Promise<T> {
  return deps.db.transaction().execute(async (db) => {
    const standing = await requireStill(deps, db, caller, project.id, ability);
    await requireMayRelease(within(deps, db), standing, release.tag);
    // An update locks the row on either engine.
    const locked = await db
      .updateTable('releases')
      .set({ updated_at: timestamp(deps.clock) })
      .where('id', '=', release.id)
      .returningAll()
      .executeTakeFirst();
    if (locked === undefined) throw notFound();
    return work(db, locked, standing);
  });
}

/** The release of a tag, for who may write to it. @throws ApiError 403, 404 */
export async function releaseToWrite(deps: Deps, standing: Standing<UserCaller>, tag: string): Promise<Release> {
  await requireMayRelease(deps, standing, tag);
  const release = await findRelease(deps.db, standing.project.id, tag);
  if (release === undefined) throw refused('Release does not exist', 404);
  return release;
}
