import { VISIBILITIES, visibilityLevel } from '../../../core/access-levels.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Deps } from '../../../deps.ts';
import { withNewRepository } from '../../../repositories/new-repository.ts';
import { refusePushedFiles, SNIPPET_REF, snippetFiles } from '../../../repositories/snippet-files.ts';
import { applicationSettings } from '../../../settings/application-settings.ts';
import { stricterVisibility } from '../../../settings/settings.visibility.ts';
import {
  coerceInteger,
  coerceObjects,
  coerceText,
  type ImportedObject,
  InvalidImportObject,
  requireText,
} from '../coerce-import.ts';
import type { ImportContext, RelationWriter } from '../import-context.ts';
import { countReactions, insertNotes, insertReactions, reactionRows } from './notes.import.ts';
import { dates } from './rows.ts';

/** Paths of the files, validated like those of a push. @throws InvalidImportObject */
async function filesIn(deps: Deps, dir: string): Promise<string[]> {
  const { pool } = deps.storages;
  const key = `new:${dir}`;
  const repo = pool.get(key, dir);
  try {
    let head = await repo.refs.resolve(SNIPPET_REF);
    if (head === null) {
      const [only, ...others] = await repo.refs.list('refs/heads/');
      if (only === undefined || others.length > 0) throw new InvalidImportObject('the files of a snippet are missing');
      head = only.oid;
      await repo.refs.transaction([{ ref: SNIPPET_REF, old: null, new: head }]);
    }
    const { snippet_size_limit } = await applicationSettings(deps);
    const problem = await refusePushedFiles(repo, head, {}, snippet_size_limit);
    if (problem !== null) throw new InvalidImportObject(problem);
    return await snippetFiles(repo, head);
  } finally {
    pool.evict(key);
  }
}

/** Visibility of a snippet, limited to that of its project. */
async function visibilityFor({ place }: ImportContext, db: Db, object: ImportedObject) {
  const { visibility } = await db
    .selectFrom('projects')
    .select('visibility')
    .where('id', '=', place.id)
    .executeTakeFirstOrThrow();
  const ownVisibility = VISIBILITIES.find((each) => visibilityLevel(each) === object.visibility_level) ?? 'private';
  return stricterVisibility(ownVisibility, visibility);
}

/** Imports snippets with their files and notes. */
export const snippetWriter: RelationWriter = {
  async writeAlone(context, object, transactionHook) {
    const { deps, users, place } = context;
    const source = coerceInteger(object.id, 1);
    if (source === null) throw new InvalidImportObject('id is missing');
    let files: string[] = [];
    const make = async (dir: string) => {
      if (!(await context.makeRepository({ type: 'snippet', id: source }, dir)))
        throw new InvalidImportObject('the files of a snippet are missing');
      files = await filesIn(deps, dir);
    };
    await withNewRepository(deps, make, async (db, where) => {
      const { id } = await db
        .insertInto('snippets')
        .values({
          project_id: place.id,
          author_id: users.of(object.author_id),
          title: requireText(object.title, 'title'),
          description: coerceText(object.description),
          visibility: await visibilityFor(context, db, object),
          file_names: JSON.stringify(files),
          ...where,
          user_agent: null,
          ip_address: null,
          user_notes_count: coerceObjects(object.notes).filter(
            ({ system, confidential }) => system !== true && confidential !== true,
          ).length,
          upvotes: countReactions(context, object.award_emoji, 'thumbsup'),
          downvotes: countReactions(context, object.award_emoji, 'thumbsdown'),
          ...dates(context, object),
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      await insertReactions(db, reactionRows(context, 'Snippet', id, object.award_emoji));
      const on = { noteable_type: 'Snippet', noteable_id: id, commit_id: null } as const;
      await insertNotes(
        context,
        db,
        coerceObjects(object.notes).map((note) => ({ on, object: note })),
      );
      await transactionHook(db);
    });
  },
};
