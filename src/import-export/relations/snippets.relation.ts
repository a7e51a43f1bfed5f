import { visibilityLevel } from '../../core/access-levels.ts';
import { parseJson } from '../../db/columns.ts';
import { inBatches } from '../../db/in-batches.ts';
import { noteObjects, notesOn } from './notes.relation.ts';
import { reactionObjects, reactionsTo } from './reactions.relation.ts';
import type { TreeRelation } from './relation.ts';
import { nameUsers, objectText } from './relations.children.ts';

/** Number of snippets per page in memory. */
const BATCH_SIZE = 50;

/** Snippets of a project with their notes; their files are exported as repositories, by snippet id. */
export const snippets: TreeRelation = {
  form: 'objects',
  name: 'snippets',
  single: false,
  async *pieces(exporting, after) {
    const ofProject = exporting.db.selectFrom('snippets').selectAll().where('project_id', '=', exporting.portable.id);
    for await (const page of inBatches(ofProject.where('id', '>', after), BATCH_SIZE, 'id')) {
      const ids = page.map(({ id }) => id);
      const [reactions, notes] = [reactionsTo(exporting, 'Snippet', ids), notesOn(exporting, 'Snippet', ids)];
      for (const row of page) {
        nameUsers(exporting, row, ['author_id']);
        const { id, title, description, visibility, author_id, created_at, updated_at } = row;
        const file_name = parseJson<string[]>(row.file_names)[0] ?? null;
        yield* objectText(
          {
            ...{ id, title, description, file_name, author_id, created_at, updated_at },
            visibility_level: visibilityLevel(visibility),
          },
          { award_emoji: reactionObjects(reactions.of(id)), notes: noteObjects(notes.of(id)) },
        );
        yield id;
      }
    }
  },
};
