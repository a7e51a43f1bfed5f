import { LINK_TYPES } from '../../../db/tables/release-links.table.ts';
import {
  coerceInstant,
  coerceObjects,
  coerceOneOf,
  coerceSha,
  coerceText,
  type ImportedObject,
  isImportedObject,
  requireText,
} from '../coerce-import.ts';
import type { RelationWriter } from '../import-context.ts';
import { idsByName } from './named.ts';
import { startedAt } from './rows.ts';

const titlesOf = (object: ImportedObject): string[] =>
  coerceObjects(object.milestone_releases).flatMap(({ milestone }) =>
    isImportedObject(milestone) && typeof milestone.title === 'string' ? [milestone.title] : [],
  );

/** Imports releases with their links and milestones, without evidence, which belongs to the source server. */
export const releaseWriter: RelationWriter = {
  batchSize: 50,
  async write(context, db, object) {
    const milestones = await idsByName(context, db, 'milestones', object.flatMap(titlesOf));
    for (const each of object) {
      const created_at = startedAt(context, each);
      const { id } = await db
        .insertInto('releases')
        .values({
          project_id: context.place.id,
          tag: requireText(each.tag, 'tag'),
          name: coerceText(each.name, 255),
          description: coerceText(each.description),
          sha: coerceSha(each.sha),
          commit_object: null,
          author_id: context.users.ofOptional(each.author_id),
          released_at: coerceInstant(each.released_at) ?? created_at,
          evidence_due_at: null,
          created_at,
          updated_at: coerceInstant(each.updated_at) ?? created_at,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      const links = coerceObjects(each.links).map((link) => ({
        release_id: id,
        name: requireText(link.name, 'the name of a link'),
        url: requireText(link.url, 'the URL of a link', 2_048),
        filepath: coerceText(link.filepath, 128),
        link_type: coerceOneOf(link.link_type, LINK_TYPES),
        created_at,
        updated_at: created_at,
      }));
      if (links.length > 0) await db.insertInto('release_links').values(links).execute();
      const ids = new Set(titlesOf(each).flatMap((title) => milestones.get(title) ?? []));
      const joins = [...ids].map((milestone_id) => ({ release_id: id, milestone_id }));
      if (joins.length > 0) await db.insertInto('milestone_releases').values(joins).execute();
    }
  },
};
