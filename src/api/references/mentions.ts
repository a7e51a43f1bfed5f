import { sql } from 'kysely';
import type { Reference } from '../../core/references.ts';
import { asciiLower } from '../../db/like.ts';
import type { NoteableType } from '../../db/tables/issues.ts';
import type { User } from '../../db/tables/users.ts';
import type { Deps } from '../../deps.ts';
import { viewerOf } from './viewer.ts';

/** People that one text may mention. */
const MAX_PEOPLE = 100;
const TABLES = { Issue: 'issues', MergeRequest: 'merge_requests', Snippet: 'snippets' } as const;

/** A description (`noteId` null) or a note that mentions people. */
export interface Mentioning {
  type: NoteableType;
  id: number;
  projectId: number | null;
  noteId: number | null;
  /** Whether somebody may read the text. */
  mayRead(viewer: ReturnType<typeof viewerOf>): Promise<boolean>;
}

/** Keeps who is mentioned in a text in line with it: those that are named and may read it. */
export async function syncMentions(deps: Deps, text: Mentioning, references: readonly Reference[]): Promise<void> {
  const names = references.flatMap((reference) => (reference.type === 'user' ? [reference.username] : []));
  const readers: number[] = [];
  for (const user of await usersByName(deps, names.slice(0, MAX_PEOPLE))) {
    if (await text.mayRead(viewerOf(user))) readers.push(user.id);
  }
  const { type, id, projectId, noteId } = text;
  await deps.db.transaction().execute(async (db) => {
    // Takes the row, so that two events about it do not write the same people twice.
    const { numUpdatedRows } = await db
      .updateTable(TABLES[type])
      .set((eb) => ({ user_notes_count: eb.ref('user_notes_count') }))
      .where('id', '=', id)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return;
    if (noteId !== null && !(await db.selectFrom('notes').select('id').where('id', '=', noteId).executeTakeFirst())) {
      return;
    }
    await db
      .deleteFrom('user_mentions')
      .where('target_type', '=', type)
      .where('target_id', '=', id)
      .where('note_id', noteId === null ? 'is' : '=', noteId)
      .execute();
    if (readers.length === 0) return;
    const rows = readers.map((user_id) => ({
      target_type: type,
      target_id: id,
      note_id: noteId,
      user_id,
      project_id: projectId,
    }));
    await db.insertInto('user_mentions').values(rows).execute();
  });
}

async function usersByName({ db }: Deps, names: readonly string[]): Promise<User[]> {
  if (names.length === 0) return [];
  return db
    .selectFrom('users')
    .selectAll()
    .where(sql<string>`lower(username)`, 'in', names.map(asciiLower))
    .where('state', '=', 'active')
    .orderBy('id')
    .execute();
}
