import { createHash } from 'node:crypto';
import type { Insertable } from 'kysely';
import { bit } from '../../../db/columns.ts';
import type { Db } from '../../../db/schema.ts';
import type { AwardEmojiTable } from '../../../db/tables/award-emoji.ts';
import type { NotesTable } from '../../../db/tables/notes.ts';
import type { Importing, Writer } from '../importing.ts';
import { type Given, instant, integer, isGiven, objects, sha, text, Unfit } from '../take.ts';
import { dates, inParts, startedAt } from './rows.ts';

/** Rows that one statement writes. */
const AT_ONCE = 500;

/** Reactions to something, as rows: of two of the same user one stays. */
export const reactionRows = (
  importing: Importing,
  type: AwardEmojiTable['awardable_type'],
  id: number,
  given: unknown,
): Insertable<AwardEmojiTable>[] => {
  const rows = new Map<string, Insertable<AwardEmojiTable>>();
  for (const each of objects(given)) {
    const name = text(each.name, 255);
    if (name === null || !/^[\w+-]+$/.test(name)) continue;
    const user_id = importing.people.of(each.user_id);
    const on = { awardable_type: type, awardable_id: id, project_id: importing.place.id };
    rows.set(`${user_id} ${name}`, { ...on, user_id, name, ...dates(importing, each) });
  }
  return [...rows.values()];
};

/** How often something was reacted to so. */
export const reactionsNamed = (importing: Importing, given: unknown, name: string): number =>
  new Set(objects(given).flatMap((each) => (each.name === name ? [importing.people.of(each.user_id)] : []))).size;

/** Writes rows of reactions, a few hundred at a time. */
export const insertReactions = (db: Db, rows: readonly Insertable<AwardEmojiTable>[]): Promise<void> =>
  inParts(rows, (part) => db.insertInto('award_emoji').values(part).execute());

const line = (value: unknown): number | null => integer(value, 1);

/** The place of a comment in a change; null where it is none that can be shown. */
function positionOf(value: unknown): Record<string, unknown> | null {
  if (!isGiven(value)) return null;
  const shas = { base_sha: sha(value.base_sha), start_sha: sha(value.start_sha), head_sha: sha(value.head_sha) };
  const paths = { old_path: text(value.old_path, 4_096), new_path: text(value.new_path, 4_096) };
  if (Object.values({ ...shas, ...paths }).includes(null) || value.position_type !== 'text') return null;
  const lines = { old_line: line(value.old_line), new_line: line(value.new_line) };
  if (lines.old_line === null && lines.new_line === null) return null;
  return { ...shas, ...paths, position_type: 'text', ...lines, line_range: null };
}

/** Discussions get other names here, the same for the same place. */
const discussionOf = ({ place }: Importing, given: Given, row: string): string =>
  createHash('sha1')
    .update(`${place.kind}:${place.id}:${text(given.discussion_id, 255) ?? row}`)
    .digest('hex');

function noteRow(
  importing: Importing,
  on: Pick<NotesTable, 'noteable_type' | 'noteable_id' | 'commit_id'>,
  given: Given,
  number: number,
): Insertable<NotesTable> {
  const { people, place } = importing;
  const note = text(given.note);
  if (note === null) throw new Unfit('a note has no text');
  const created_at = startedAt(importing, given);
  const position = on.noteable_type === 'MergeRequest' ? positionOf(given.position) : null;
  const isDiff = given.type === 'DiffNote' && position !== null;
  const metadata = isGiven(given.system_note_metadata) ? given.system_note_metadata : {};
  return {
    project_id: place.id,
    ...on,
    discussion_id: discussionOf(importing, given, `${on.noteable_type}:${on.noteable_id ?? on.commit_id}:${number}`),
    type: isDiff ? 'DiffNote' : given.type === 'DiscussionNote' || given.type === 'DiffNote' ? 'DiscussionNote' : null,
    author_id: people.of(given.author_id),
    note,
    position: isDiff ? JSON.stringify(position) : null,
    system: bit(given.system === true),
    internal: bit(given.confidential === true),
    resolved_at: instant(given.resolved_at),
    resolved_by_id: people.maybe(given.resolved_by_id),
    system_action: given.system === true ? text(metadata.action, 255) : null,
    updated_by_id: people.maybe(given.updated_by_id),
    diff_refs_outdated: bit(given.diff_refs_outdated === true),
    created_at,
    updated_at: instant(given.updated_at) ?? created_at,
  };
}

/** Notes with the reactions to them. @param on what each is a note on */
export async function insertNotes(
  importing: Importing,
  db: Db,
  notes: readonly { on: Pick<NotesTable, 'noteable_type' | 'noteable_id' | 'commit_id'>; given: Given }[],
): Promise<void> {
  for (let at = 0; at < notes.length; at += AT_ONCE) {
    const part = notes.slice(at, at + AT_ONCE);
    const written = await db
      .insertInto('notes')
      .values(part.map(({ on, given }, n) => noteRow(importing, on, given, at + n)))
      .returning('id')
      .execute();
    // Numbers are given in the order of the rows; in which order they are returned is not promised.
    const ids = written.map(({ id }) => id).sort((a, b) => a - b);
    const reactions = part.flatMap(({ given }, n) => reactionRows(importing, 'Note', ids[n]!, given.award_emoji));
    await insertReactions(db, reactions);
  }
}

/** Notes on commits. */
export const commitNoteWriter: Writer = {
  atOnce: 200,
  async write(importing, db, given) {
    const notes = given.map((each) => {
      const commit_id = sha(each.commit_id);
      if (commit_id === null) throw new Unfit('the commit of a note is missing');
      return { on: { noteable_type: 'Commit', noteable_id: null, commit_id } as const, given: each };
    });
    await insertNotes(importing, db, notes);
  },
};
