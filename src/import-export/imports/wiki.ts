import { timestamp } from '../../core/clock.ts';
import { isUniqueViolation } from '../../db/db.errors.ts';
import { repositorySize } from '../../git/repository/index.ts';
import { withNewRepository } from '../../repositories/new-repository.ts';
import { findWiki } from '../../repositories/repository.wikis.ts';
import type { ImportContext } from './import-context.ts';

/** The source has no wiki, or an empty one. */
class NoWiki extends Error {}

/**
 * Imports the wiki, if the source has one and the destination has none.
 * @throws GitError, RemoteError if it cannot be read
 */
export async function importWiki({ deps, place, makeRepository }: ImportContext): Promise<void> {
  if ((await findWiki(deps.db, { type: place.kind, id: place.id })) !== undefined) return;
  let size = 0;
  const make = async (dir: string) => {
    if (!(await makeRepository({ type: 'wiki' }, dir))) throw new NoWiki();
    size = await repositorySize(dir);
  };
  try {
    await withNewRepository(deps, make, async (db, where) => {
      const now = timestamp(deps.clock);
      await db
        .insertInto('wikis')
        .values({
          project_id: place.kind === 'project' ? place.id : null,
          namespace_id: place.kind === 'group' ? place.id : null,
          ...where,
          repository_size: size,
          created_at: now,
          updated_at: now,
        })
        .execute();
    });
  } catch (error) {
    // The first page may have been created in the meantime.
    if (!(error instanceof NoWiki) && !isUniqueViolation(error)) throw error;
  }
}
