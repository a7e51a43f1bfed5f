import { VISIBILITIES, visibilityLevel } from '../../../core/access-levels.ts';
import type { Db } from '../../../db/schema.ts';
import type { Deps } from '../../../deps.ts';
import { withNewRepository } from '../../../repositories/new-repository.ts';
import { refusePushedFiles, SNIPPET_REF, snippetFiles } from '../../../repositories/snippet-files.ts';
import { applicationSettings } from '../../../settings/application-settings.ts';
import { closer } from '../../../settings/visibility.ts';
import type { Importing, Writer } from '../importing.ts';
import { filled, type Given, integer, objects, text, Unfit } from '../take.ts';
import { insertNotes, insertReactions, reactionRows, reactionsNamed } from './notes.ts';
import { dates } from './rows.ts';

/** The paths of the files, as a push would have to have them. @throws Unfit */
async function filesIn(deps: Deps, dir: string): Promise<string[]> {
  const { pool } = deps.storages;
  const key = `new:${dir}`;
  const repo = pool.get(key, dir);
  try {
    let head = await repo.refs.resolve(SNIPPET_REF);
    if (head === null) {
      const [only, ...others] = await repo.refs.list('refs/heads/');
      if (only === undefined || others.length > 0) throw new Unfit('the files of a snippet are missing');
      head = only.oid;
      await repo.refs.transaction([{ ref: SNIPPET_REF, old: null, new: head }]);
    }
    const { snippet_size_limit } = await applicationSettings(deps);
    const problem = await refusePushedFiles(repo, head, {}, snippet_size_limit);
    if (problem !== null) throw new Unfit(problem);
    return await snippetFiles(repo, head);
  } finally {
    pool.forget(key);
  }
}

/** No more open than the project is. */
async function visibilityFor({ place }: Importing, db: Db, given: Given) {
  const { visibility } = await db
    .selectFrom('projects')
    .select('visibility')
    .where('id', '=', place.id)
    .executeTakeFirstOrThrow();
  const wanted = VISIBILITIES.find((each) => visibilityLevel(each) === given.visibility_level) ?? 'private';
  return closer(wanted, visibility);
}

/** Snippets with their files, and what was said of them. */
export const snippetWriter: Writer = {
  async writeAlone(importing, given, within) {
    const { deps, people, place } = importing;
    const source = integer(given.id, 1);
    if (source === null) throw new Unfit('id is missing');
    let files: string[] = [];
    const make = async (dir: string) => {
      if (!(await importing.makeRepository({ type: 'snippet', id: source }, dir)))
        throw new Unfit('the files of a snippet are missing');
      files = await filesIn(deps, dir);
    };
    await withNewRepository(deps, make, async (db, where) => {
      const { id } = await db
        .insertInto('snippets')
        .values({
          project_id: place.id,
          author_id: people.of(given.author_id),
          title: filled(given.title, 'title'),
          description: text(given.description),
          visibility: await visibilityFor(importing, db, given),
          file_names: JSON.stringify(files),
          ...where,
          user_agent: null,
          ip_address: null,
          user_notes_count: objects(given.notes).filter(
            ({ system, confidential }) => system !== true && confidential !== true,
          ).length,
          upvotes: reactionsNamed(importing, given.award_emoji, 'thumbsup'),
          downvotes: reactionsNamed(importing, given.award_emoji, 'thumbsdown'),
          ...dates(importing, given),
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      await insertReactions(db, reactionRows(importing, 'Snippet', id, given.award_emoji));
      const on = { noteable_type: 'Snippet', noteable_id: id, commit_id: null } as const;
      await insertNotes(
        importing,
        db,
        objects(given.notes).map((note) => ({ on, given: note })),
      );
      await within(db);
    });
  },
};
