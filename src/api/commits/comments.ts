import { randomBytes } from 'node:crypto';
import type { UserCaller } from '../../access/caller.ts';
import { timestamp } from '../../core/clock.ts';
import type { Project } from '../../db/tables/projects.ts';
import type { Note } from '../../db/tables/repositories.ts';
import type { Deps } from '../../deps.ts';
import { commitDiff } from '../../git/diff.ts';
import { insertNote } from './comments-store.ts';
import { findPosition, type LineType } from './diff-position.ts';
import type { FoundCommit } from './find.ts';

export interface NewComment {
  note: string;
  /** The line of the commit's diff that is meant; a comment on any other line is one on the whole commit. */
  at?: { path: string; line: number; type: LineType } | undefined;
}

/**
 * Comments on a commit.
 * @throws ApiError 429 past 300 comments of a user in a minute
 */
export async function addComment(
  deps: Deps,
  caller: UserCaller,
  project: Project,
  { repo, commit }: FoundCommit,
  { note, at }: NewComment,
): Promise<Note> {
  const { user } = caller;
  deps.limiter.check('notes_create', String(user.id), { requests: 300, periodSeconds: 60 });
  const position = at === undefined ? null : findPosition(commit, (await commitDiff(repo, commit.oid)).files, at);
  const now = timestamp(deps.clock);
  const written = await deps.db.transaction().execute(async (db) => {
    const row = await insertNote(db, {
      project_id: project.id,
      noteable_type: 'Commit',
      noteable_id: null,
      commit_id: commit.oid,
      discussion_id: randomBytes(20).toString('hex'),
      type: position === null ? null : 'DiffNote',
      author_id: user.id,
      note,
      position: position === null ? null : JSON.stringify(position),
      resolved_at: null,
      resolved_by_id: null,
      created_at: now,
      updated_at: now,
    });
    const payload = { note_id: row.id, project_id: project.id };
    await deps.events.record(db, 'note.created', payload, { projectId: project.id, actorId: user.id });
    return row;
  });
  deps.jobs.notify();
  return written;
}
