import type { Db } from './schema.ts';
import type { IssuableType, NoteableType } from './tables/kinds.ts';

const isIssuable = (type: NoteableType): type is IssuableType => type !== 'Snippet';

/**
 * Removes what points at issues, merge requests or snippets by type and id, without a foreign key: notes, reactions,
 * labels, assignees, subscriptions, mentions, references, time and activity. Whoever removes the rows themselves calls
 * it in the same transaction, before.
 */
export async function removeTraces(db: Db, type: NoteableType, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  const notes = db.selectFrom('notes').select('id').where('noteable_type', '=', type).where('noteable_id', 'in', ids);
  await db.deleteFrom('award_emoji').where('awardable_type', '=', 'Note').where('awardable_id', 'in', notes).execute();
  await db.deleteFrom('award_emoji').where('awardable_type', '=', type).where('awardable_id', 'in', ids).execute();
  await removeReferences(db, type, ids);
  await db.deleteFrom('user_mentions').where('target_type', '=', type).where('target_id', 'in', ids).execute();
  await db.deleteFrom('notes').where('noteable_type', '=', type).where('noteable_id', 'in', ids).execute();
  await db.deleteFrom('events').where('target_type', '=', type).where('target_id', 'in', ids).execute();
  await db.deleteFrom('events').where('noteable_type', '=', type).where('noteable_id', 'in', ids).execute();
  if (isIssuable(type)) await removeIssuableTraces(db, type, ids);
}

/** What the things say of others, with the notes that tell it there, and what others say of them. */
async function removeReferences(db: Db, type: NoteableType, ids: readonly number[]): Promise<void> {
  const told = await db
    .selectFrom('cross_references')
    .select('note_id')
    .where('source_type', '=', type)
    .where('source_id', 'in', ids)
    .where('note_id', 'is not', null)
    .execute();
  await db.deleteFrom('cross_references').where('source_type', '=', type).where('source_id', 'in', ids).execute();
  const noteIds = told.flatMap(({ note_id }) => note_id ?? []);
  if (noteIds.length > 0) await db.deleteFrom('notes').where('id', 'in', noteIds).execute();
  if (!isIssuable(type)) return;
  await db.deleteFrom('cross_references').where('target_type', '=', type).where('target_id', 'in', ids).execute();
}

async function removeIssuableTraces(db: Db, type: IssuableType, ids: readonly number[]): Promise<void> {
  for (const table of ['issuable_labels', 'issuable_assignees', 'time_logs', 'resource_events'] as const) {
    await db.deleteFrom(table).where('issuable_type', '=', type).where('issuable_id', 'in', ids).execute();
  }
  await db.deleteFrom('todos').where('target_type', '=', type).where('target_id', 'in', ids).execute();
  await db
    .deleteFrom('subscriptions')
    .where('subscribable_type', '=', type)
    .where('subscribable_id', 'in', ids)
    .execute();
}
