import { releaseFacts } from '../core/event-facts.ts';
import type { Db } from '../db/db.schema.ts';
import type { Deps } from '../deps.ts';
import { TAGS } from '../git/ref-folders.ts';

/** What a tag shows of its release. */
export interface TagRelease {
  tag_name: string;
  name: string;
  description: string | null;
}

/** Releases of a project by their tags, as far as the tags that are named have one: one query. */
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
 * With a tag that is removed through the API goes its release, in the transaction that enters the removal. Whoever pushes
 * a tag away may be about to push it anew: then the release stays.
 */
export function removeReleasesWithTags(deps: Deps): void {
  deps.refObservers.push(async (_repo, { holder, updates, via, userId }) => {
    if (holder.type !== 'project' || via !== 'api') return null;
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
  });
}
