import { createHash } from 'node:crypto';
import type { Insertable } from 'kysely';
import { bit } from '../../../db/columns.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { AwardEmojiTable } from '../../../db/tables/award-emoji.table.ts';
import type { NotesTable } from '../../../db/tables/notes.table.ts';
import {
  coerceInstant,
  coerceInteger,
  coerceObjects,
  coerceSha,
  coerceText,
  type ImportedObject,
  InvalidImportObject,
  isImportedObject,
} from '../coerce-import.ts';
import type { ImportContext, RelationWriter } from '../import-context.ts';
import { dates, insertInBatches, startedAt } from './rows.ts';

/** Maximum number of rows per statement. */
const BATCH_SIZE = 500;

/** Rows of the reactions to an object, without duplicates of the same user. */
export const reactionRows = (
  context: ImportContext,
  type: AwardEmojiTable['awardable_type'],
  id: number,
  object: unknown,
): Insertable<AwardEmojiTable>[] => {
  const rows = new Map<string, Insertable<AwardEmojiTable>>();
  for (const each of coerceObjects(object)) {
    const name = coerceText(each.name, 255);
    if (name === null || !/^[\w+-]+$/.test(name)) continue;
    const user_id = context.users.of(each.user_id);
    const on = { awardable_type: type, awardable_id: id, project_id: context.place.id };
    rows.set(`${user_id} ${name}`, { ...on, user_id, name, ...dates(context, each) });
  }
  return [...rows.values()];
};

/** Number of reactions with a name. */
export const countReactions = (context: ImportContext, object: unknown, name: string): number =>
  new Set(coerceObjects(object).flatMap((each) => (each.name === name ? [context.users.of(each.user_id)] : []))).size;

/** Inserts rows of reactions, in batches. */
export const insertReactions = (db: Db, rows: readonly Insertable<AwardEmojiTable>[]): Promise<void> =>
  insertInBatches(rows, (part) => db.insertInto('award_emoji').values(part).execute());

const line = (value: unknown): number | null => coerceInteger(value, 1);

/** Position of a comment in a diff; null if invalid. */
function positionOf(value: unknown): Record<string, unknown> | null {
  if (!isImportedObject(value)) return null;
  const shas = {
    base_sha: coerceSha(value.base_sha),
    start_sha: coerceSha(value.start_sha),
    head_sha: coerceSha(value.head_sha),
  };
  const paths = { old_path: coerceText(value.old_path, 4_096), new_path: coerceText(value.new_path, 4_096) };
  if (Object.values({ ...shas, ...paths }).includes(null) || value.position_type !== 'text') return null;
  const lines = { old_line: line(value.old_line), new_line: line(value.new_line) };
  if (lines.old_line === null && lines.new_line === null) return null;
  return { ...shas, ...paths, position_type: 'text', ...lines, line_range: null };
}

/** New id of a discussion, stable for the same destination and object. */
const discussionOf = ({ place }: ImportContext, object: ImportedObject, row: string): string =>
  createHash('sha1')
    .update(`${place.kind}:${place.id}:${coerceText(object.discussion_id, 255) ?? row}`)
    .digest('hex');

function noteRow(
  context: ImportContext,
  on: Pick<NotesTable, 'noteable_type' | 'noteable_id' | 'commit_id'>,
  object: ImportedObject,
  number: number,
): Insertable<NotesTable> {
  const { users, place } = context;
  const note = coerceText(object.note);
  if (note === null) throw new InvalidImportObject('a note has no text');
  const created_at = startedAt(context, object);
  const position = on.noteable_type === 'MergeRequest' ? positionOf(object.position) : null;
  const isDiff = object.type === 'DiffNote' && position !== null;
  const metadata = isImportedObject(object.system_note_metadata) ? object.system_note_metadata : {};
  return {
    project_id: place.id,
    ...on,
    discussion_id: discussionOf(context, object, `${on.noteable_type}:${on.noteable_id ?? on.commit_id}:${number}`),
    type: isDiff
      ? 'DiffNote'
      : object.type === 'DiscussionNote' || object.type === 'DiffNote'
        ? 'DiscussionNote'
        : null,
    author_id: users.of(object.author_id),
    note,
    position: isDiff ? JSON.stringify(position) : null,
    system: bit(object.system === true),
    internal: bit(object.confidential === true),
    resolved_at: coerceInstant(object.resolved_at),
    resolved_by_id: users.ofOptional(object.resolved_by_id),
    system_action: object.system === true ? coerceText(metadata.action, 255) : null,
    updated_by_id: users.ofOptional(object.updated_by_id),
    diff_refs_outdated: bit(object.diff_refs_outdated === true),
    created_at,
    updated_at: coerceInstant(object.updated_at) ?? created_at,
  };
}

/** Inserts notes with their reactions. @param on noteable of each note */
export async function insertNotes(
  context: ImportContext,
  db: Db,
  notes: readonly { on: Pick<NotesTable, 'noteable_type' | 'noteable_id' | 'commit_id'>; object: ImportedObject }[],
): Promise<void> {
  for (let at = 0; at < notes.length; at += BATCH_SIZE) {
    const part = notes.slice(at, at + BATCH_SIZE);
    const written = await db
      .insertInto('notes')
      .values(part.map(({ on, object }, n) => noteRow(context, on, object, at + n)))
      .returning('id')
      .execute();
    // Ids are assigned in the order of the rows, but may be returned in another order.
    const ids = written.map(({ id }) => id).sort((a, b) => a - b);
    const reactions = part.flatMap(({ object }, n) => reactionRows(context, 'Note', ids[n]!, object.award_emoji));
    await insertReactions(db, reactions);
  }
}

/** Imports notes on commits. */
export const commitNoteWriter: RelationWriter = {
  batchSize: 200,
  async write(context, db, object) {
    const notes = object.map((each) => {
      const commit_id = coerceSha(each.commit_id);
      if (commit_id === null) throw new InvalidImportObject('the commit of a note is missing');
      return { on: { noteable_type: 'Commit', noteable_id: null, commit_id } as const, object: each };
    });
    await insertNotes(context, db, notes);
  },
};
