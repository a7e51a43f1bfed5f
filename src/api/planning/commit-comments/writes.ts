import type { UserCaller } from '../../../access/caller.ts';
import type { ProjectPermissions } from '../../../access/permissions.ts';
import type { Note } from '../../../db/tables/notes.ts';
import type { Project } from '../../../db/tables/projects.ts';
import type { Deps } from '../../../deps.ts';
import { commitDiff } from '../../../git/diff.ts';
import type { FoundCommit } from '../../code/index.ts';
import { countNote, writeNote } from '../notes/writes.ts';
import { findPosition, type LineType } from './diff-position.ts';

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
  writer: { caller: UserCaller; permissions: ProjectPermissions },
  project: Project,
  { repo, commit }: FoundCommit,
  { note, at }: NewComment,
): Promise<Note> {
  countNote(deps, writer);
  const position = at === undefined ? null : findPosition(commit, (await commitDiff(repo, commit.oid)).files, at);
  const noteable = { id: null, iid: null, projectId: project.id, authorId: null, locked: false } as const;
  return writeNote(
    deps,
    writer,
    { ...noteable, type: 'Commit', sha: commit.oid },
    { body: note, type: position === null ? null : 'DiffNote', position },
  );
}
