import { LINK_TYPES } from '../../../db/tables/release-links.ts';
import type { Writer } from '../importing.ts';
import { filled, type Given, instant, isGiven, objects, oneOf, sha, text } from '../take.ts';
import { idsByName } from './named.ts';
import { startedAt } from './rows.ts';

const titlesOf = (given: Given): string[] =>
  objects(given.milestone_releases).flatMap(({ milestone }) =>
    isGiven(milestone) && typeof milestone.title === 'string' ? [milestone.title] : [],
  );

/** Releases with their links and milestones. Evidence is what another server has collected: it does not come. */
export const releaseWriter: Writer = {
  atOnce: 50,
  async write(importing, db, given) {
    const milestones = await idsByName(importing, db, 'milestones', given.flatMap(titlesOf));
    for (const each of given) {
      const created_at = startedAt(importing, each);
      const { id } = await db
        .insertInto('releases')
        .values({
          project_id: importing.place.id,
          tag: filled(each.tag, 'tag'),
          name: text(each.name, 255),
          description: text(each.description),
          sha: sha(each.sha),
          commit_object: null,
          author_id: importing.people.maybe(each.author_id),
          released_at: instant(each.released_at) ?? created_at,
          evidence_due_at: null,
          created_at,
          updated_at: instant(each.updated_at) ?? created_at,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      const links = objects(each.links).map((link) => ({
        release_id: id,
        name: filled(link.name, 'the name of a link'),
        url: filled(link.url, 'the address of a link', 2_048),
        filepath: text(link.filepath, 128),
        link_type: oneOf(link.link_type, LINK_TYPES),
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
