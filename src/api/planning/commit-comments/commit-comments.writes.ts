import type { Deps } from '../../../deps.ts';
import { commitDiff } from '../../../git/diff.ts';
import type { FoundCommit } from '../../code/index.ts';
import type { UserScope } from '../../object-access.ts';
import { countNote } from '../notes/notes.writes.ts';
import { type CommentResult, createComment } from '../quick-actions/quick-actions.comment.ts';
import { findPosition, type LineType } from './diff-position.ts';

export interface NewComment {
  note: string;
  /** The line of the commit's diff that is meant; a comment on any other line is one on the whole commit. */
  at?: { path: string; line: number; type: LineType } | undefined;
}

/**
 * Comments on a commit; quick actions in the text act.
 * @throws ApiError 429 past 300 comments of a user in a minute
 */
export async function addComment(
  deps: Deps,
  scope: UserScope,
  { repo, commit }: FoundCommit,
  { note, at }: NewComment,
): Promise<CommentResult> {
  countNote(deps, scope);
  const position = at === undefined ? null : findPosition(commit, (await commitDiff(repo, commit.oid)).files, at);
  const noteable = { id: null, iid: null, projectId: scope.project.id, authorId: null, locked: false } as const;
  return createComment(
    deps,
    scope,
    { ...noteable, type: 'Commit', sha: commit.oid },
    { body: note, type: position === null ? null : 'DiffNote', position },
  );
}
