import { sql } from 'kysely';
import { mentionedUsers, type Reference } from '../../../core/core.references.ts';
import type { Db } from '../../../db/db.schema.ts';
import { asciiLower } from '../../../db/like.ts';
import type { Note } from '../../../db/tables/notes.table.ts';
import type { NoteableType } from '../../../db/tables/tables.kinds.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import { addTodos, type TodoTarget } from '../todos/todos.record.ts';
import { viewerOf } from './viewer.ts';

/** Maximum number of users that a text may mention. */
const MAX_PEOPLE = 100;
const TABLES = { Issue: 'issues', MergeRequest: 'merge_requests', Snippet: 'snippets' } as const;

/** A description (`noteId` null) or a note with mentions. */
export interface MentioningText {
  type: NoteableType;
  id: number;
  projectId: number | null;
  noteId: number | null;
  text: string;
  /** Id of the author of the mention. */
  actorId: number;
  /** Whether a user may read the text. */
  mayRead(viewer: ReturnType<typeof viewerOf>): Promise<boolean>;
}

/** Updates the stored mentions of a text: named users who may read it. */
export async function syncMentions(deps: Deps, text: MentioningText, references: readonly Reference[]): Promise<void> {
  const names = references.flatMap((reference) => (reference.type === 'user' ? [reference.username] : []));
  const readers: number[] = [];
  const addressed = mentionedUsers(text.text);
  const spokenTo = new Set<number>();
  for (const user of await usersByName(deps, names.slice(0, MAX_PEOPLE))) {
    if (!(await text.mayRead(viewerOf(user)))) continue;
    readers.push(user.id);
    if (addressed.has(user.username.toLowerCase())) spokenTo.add(user.id);
  }
  const { type, id, projectId, noteId } = text;
  await deps.db.transaction().execute(async (db) => {
    // Locks the row, so that two events about it do not insert the same mention twice.
    const { numUpdatedRows } = await db
      .updateTable(TABLES[type])
      .set((eb) => ({ user_notes_count: eb.ref('user_notes_count') }))
      .where('id', '=', id)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return;
    if (noteId !== null && !(await db.selectFrom('notes').select('id').where('id', '=', noteId).executeTakeFirst())) {
      return;
    }
    const before = await db
      .deleteFrom('user_mentions')
      .where('target_type', '=', type)
      .where('target_id', '=', id)
      .where('note_id', noteId === null ? 'is' : '=', noteId)
      .returning('user_id')
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
    const known = new Set(before.map(({ user_id }) => user_id));
    const fresh = readers.filter((userId) => !known.has(userId));
    if (type !== 'Snippet' && projectId !== null) {
      await tellMentioned(deps, db, { type, id, projectId }, fresh, spokenTo, { authorId: text.actorId, noteId });
    }
  });
}

/** Creates to-do items for newly mentioned users. */
async function tellMentioned(
  deps: Deps,
  db: Db,
  target: TodoTarget,
  userIds: readonly number[],
  spokenTo: ReadonlySet<number>,
  by: { authorId: number; noteId: number | null },
): Promise<void> {
  const directly = userIds.filter((id) => spokenTo.has(id));
  const otherwise = userIds.filter((id) => !spokenTo.has(id));
  await addTodos(deps, db, target, 'directly_addressed', directly, by);
  await addTodos(deps, db, target, 'mentioned', otherwise, by);
}

/** Creates to-do items for users mentioned in a comment on a commit who may read code. */
export async function notifyOfCommitNote(
  deps: Deps,
  { id, note, project_id, commit_id }: Note,
  references: readonly Reference[],
  mayRead: MentioningText['mayRead'],
  authorId: number,
): Promise<void> {
  const names = references.flatMap((reference) => (reference.type === 'user' ? [reference.username] : []));
  const addressed = mentionedUsers(note);
  const users = await usersByName(deps, names.slice(0, MAX_PEOPLE));
  const readers: User[] = [];
  for (const user of users) if (await mayRead(viewerOf(user))) readers.push(user);
  if (readers.length === 0) return;
  const spokenTo = new Set(
    readers.filter(({ username }) => addressed.has(username.toLowerCase())).map((user) => user.id),
  );
  const target = { type: 'Commit', id: null, sha: commit_id!, projectId: project_id! } as const;
  await deps.db.transaction().execute(async (db) => {
    // Locks the row: a comment that is deleted in the meantime notifies nobody.
    const query = db.updateTable('notes').set((eb) => ({ updated_at: eb.ref('updated_at') }));
    const { numUpdatedRows } = await query.where('id', '=', id).executeTakeFirst();
    if (numUpdatedRows === 0n) return;
    const ids = readers.map((user) => user.id);
    await tellMentioned(deps, db, target, ids, spokenTo, { authorId, noteId: id });
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
