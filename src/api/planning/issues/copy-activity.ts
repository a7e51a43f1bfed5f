import { withFullReferences } from '../../../core/core.references.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Issue } from '../../../db/tables/issues.table.ts';
import type { Note } from '../../../db/tables/notes.table.ts';
import { newDiscussionId } from '../notes/system-note.ts';

/** Copies the reactions of an object to its copy. */
async function copyReactions(db: Db, type: 'Issue' | 'Note', from: number, to: number, projectId: number) {
  const awards = await db
    .selectFrom('award_emoji')
    .selectAll()
    .where('awardable_type', '=', type)
    .where('awardable_id', '=', from)
    .orderBy('id')
    .execute();
  for (const { id, ...award } of awards) {
    await db
      .insertInto('award_emoji')
      .values({ ...award, awardable_id: to, project_id: projectId })
      .execute();
  }
}

/** The notes of the issue, without cross references, which concern the original only. */
const notesOf = (db: Db, { id }: Issue, systemToo: boolean): Promise<Note[]> =>
  db
    .selectFrom('notes')
    .selectAll()
    .where('noteable_type', '=', 'Issue')
    .where('noteable_id', '=', id)
    .where((eb) => eb.or([eb('system_action', 'is', null), eb('system_action', '!=', 'cross_reference')]))
    .where(({ eb, exists, not }) =>
      not(exists(eb.selectFrom('cross_references').select('id').whereRef('cross_references.note_id', '=', 'notes.id'))),
    )
    .$if(!systemToo, (query) => query.where('system', '=', 0))
    .orderBy('id')
    .execute();

/**
 * Copies the discussion of an issue, with its authors, times and reactions.
 * @param fromPath full path of the issue's project
 */
export async function copyNotes(
  db: Db,
  issue: Issue,
  copy: Issue,
  fromPath: string,
  options: { systemToo: boolean },
): Promise<void> {
  const discussions = new Map<string, string>();
  const notes = await notesOf(db, issue, options.systemToo);
  for (const { id, ...note } of notes) {
    const discussion = discussions.get(note.discussion_id) ?? newDiscussionId();
    discussions.set(note.discussion_id, discussion);
    const row = await db
      .insertInto('notes')
      .values({
        ...note,
        note: note.system === 1 ? note.note : withFullReferences(note.note, fromPath),
        project_id: copy.project_id,
        noteable_id: copy.id,
        discussion_id: discussion,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await copyReactions(db, 'Note', id, row.id, copy.project_id);
  }
  const comments = notes.filter(({ system }) => system === 0).length;
  await db.updateTable('issues').set({ user_notes_count: comments }).where('id', '=', copy.id).execute();
}

/** Copies reactions, time logs and subscriptions of an issue. */
export async function copyReferences(db: Db, issue: Issue, copy: Issue): Promise<void> {
  await copyReactions(db, 'Issue', issue.id, copy.id, copy.project_id);
  const { upvotes, downvotes, time_spent } = issue;
  await db.updateTable('issues').set({ upvotes, downvotes, time_spent }).where('id', '=', copy.id).execute();
  const subscriptions = await db
    .selectFrom('subscriptions')
    .selectAll()
    .where('subscribable_type', '=', 'Issue')
    .where('subscribable_id', '=', issue.id)
    .execute();
  for (const row of subscriptions) {
    await db
      .insertInto('subscriptions')
      .values({ ...row, subscribable_id: copy.id, project_id: copy.project_id })
      .execute();
  }
  const times = await db
    .selectFrom('time_logs')
    .selectAll()
    .where('issuable_type', '=', 'Issue')
    .where('issuable_id', '=', issue.id)
    .orderBy('id')
    .execute();
  for (const { id, ...row } of times) {
    await db
      .insertInto('time_logs')
      .values({ ...row, issuable_id: copy.id, project_id: copy.project_id })
      .execute();
  }
}
