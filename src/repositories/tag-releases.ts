import { releaseFacts } from '../core/event-facts.ts';
import type { Db } from '../db/db.schema.ts';
import type { Deps } from '../deps.ts';
import { TAGS } from '../git/refs/index.ts';
import type { RefObserver } from './ref-observers.ts';

/** Release facts shown on a tag. */
export interface TagRelease {
  tag_name: string;
  name: string;
  description: string | null;
}

/** Releases of the given tags of a project, with one query. */
export async function releasesOfTags(
  db: Db,
  projectId: number,
  tags: readonly string[],
): Promise<Map<string, TagRelease>> {
  if (tags.length === 0) return new Map();
  const rows = await db
    .selectFrom('releases')
    .select(['tag', 'name', 'description'])
    .where('project_id', '=', projectId)
    .where('tag', 'in', tags)
    .execute();
  return new Map(
    rows.map(({ tag, name, description }) => [tag, { tag_name: tag, name: name ?? tag, description }] as const),
  );
}

/**
 * Removes the release of a tag that is deleted through the API, in the transaction that records the deletion. A tag
 * deleted by a push keeps its release, since it may be pushed again.
 */
export const removeReleasesWithTags =
  (deps: Deps): RefObserver =>
  async (_repo, { holder, updates, via, userId }) => {
    if (via !== 'api') return null;
    const gone = updates.flatMap(({ ref, new: oid }) =>
      oid === null && ref.startsWith(TAGS) ? [ref.slice(TAGS.length)] : [],
    );
    if (gone.length === 0) return null;
    return async (db) => {
      const rows = await db
        .deleteFrom('releases')
        .where('project_id', '=', holder.id)
        .where('tag', 'in', gone)
        .returningAll()
        .execute();
      for (const row of rows) {
        const payload = { release: releaseFacts(row), release_id: row.id, project_id: holder.id };
        await deps.events.record(db, 'release.destroyed', payload, { projectId: holder.id, actorId: userId });
      }
    };
  };
