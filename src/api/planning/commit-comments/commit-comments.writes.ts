import type { Deps } from '../../../deps.ts';
import { commitDiff } from '../../../git/diff/index.ts';
import type { ResolvedCommit } from '../../code/index.ts';
import type { UserScope } from '../../object-access.ts';
import { countNote } from '../notes/notes.writes.ts';
import { type CommentResult, createComment } from '../quick-actions/quick-actions.comment.ts';
import { findPosition, type LineType } from './diff-position.ts';

export interface NewComment {
  note: string;
  /** The commented line. If the diff of the commit lacks it, the comment is on the whole commit. */
  at?: { path: string; line: number; type: LineType } | undefined;
}

/**
 * Adds a comment to a commit and executes quick actions in the text.
 * @throws ApiError 429 beyond 300 comments of a user per minute
 */
export async function addComment(
  deps: Deps,
  scope: UserScope,
  { repo, commit }: ResolvedCommit,
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
