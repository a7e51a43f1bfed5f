import { completeNotes, noteObject, notesQuery } from './notes.relation.ts';
import { PAGE, pagedRelation } from './relation.ts';

/** Notes on commits. */
export const commitNotes = pagedRelation('commit_notes', async (exporting, after) => {
  const rows = await notesQuery(exporting)
    .where('commit_id', '>', '')
    .where('noteable_type', '=', 'Commit')
    .where('notes.id', '>', after)
    .orderBy('notes.id')
    .limit(PAGE)
    .execute();
  return (await completeNotes(exporting, rows)).map((note) => ({ key: note.id, object: noteObject(note) }));
});
