import type { Caller } from '../../access/caller.ts';
import type { ProjectPermissions } from '../../access/permissions.ts';
import { ApiError, notFound } from '../../core/errors.ts';
import type { Db } from '../../db/schema.ts';
import type { AwardEmojiTable, NoteableType } from '../../db/tables/issues.ts';
import type { Project } from '../../db/tables/projects.ts';
import { findIssue } from '../issues/find.ts';
import { findMergeRequest } from '../merge-requests/find.ts';
import { findProjectSnippet } from '../snippets/find.ts';

/** Where the caller stands to the project of what is reacted to. */
interface Scope {
  project: Project;
  permissions: ProjectPermissions;
  caller: Caller;
}

/** What is reacted to: something that the caller may read. */
export interface Awardable {
  type: AwardEmojiTable['awardable_type'];
  id: number;
  projectId: number;
  /** Whether the caller may react to it: whoever may comment on it. */
  open: boolean;
  /** Whether nothing is to change any more. */
  archived: boolean;
}

/** A kind of thing in a project that can be reacted to, and so can its notes. */
export interface AwardableKind {
  type: NoteableType;
  /** In the path: `issues/:issue_iid`. */
  segment: string;
  param: string;
  label: string;
  /** @throws ApiError 404 */
  find(db: Db, scope: Scope, number: number): Promise<{ id: number; discussion_locked?: number | null }>;
}

export const AWARDABLE_KINDS: readonly AwardableKind[] = [
  { type: 'Issue', segment: 'issues', param: 'issue_iid', label: 'an issue', find: findIssue },
  {
    type: 'MergeRequest',
    segment: 'merge_requests',
    param: 'merge_request_iid',
    label: 'a merge request',
    find: findMergeRequest,
  },
  { type: 'Snippet', segment: 'snippets', param: 'snippet_id', label: 'a snippet', find: findProjectSnippet },
];

const absent = () => notFound('Award Emoji');

/**
 * What a path names, which may be a note on it. What is hidden is answered like what does not exist.
 * @throws ApiError 404 `404 Award Emoji Not Found`
 */
export async function findAwardable(
  db: Db,
  scope: Scope,
  kind: AwardableKind,
  number: number,
  noteId?: number,
): Promise<Awardable> {
  const found = await kind.find(db, scope, number).catch((error: unknown) => {
    throw error instanceof ApiError && error.status === 404 ? absent() : error;
  });
  const { project, permissions } = scope;
  const unlocked = found.discussion_locked !== 1 || permissions.level > 0;
  const open = permissions.can('award_emoji') && unlocked;
  const rest = { projectId: project.id, archived: project.archived === 1 };
  if (noteId === undefined) return { type: kind.type, id: found.id, open, ...rest };
  const note = await db
    .selectFrom('notes')
    .select(['id', 'internal', 'system'])
    .where('id', '=', noteId)
    .where('noteable_type', '=', kind.type)
    .where('noteable_id', '=', found.id)
    .executeTakeFirst();
  if (note === undefined || (note.internal === 1 && !permissions.can('read_internal_note'))) throw absent();
  return { type: 'Note', id: note.id, open: open && note.system === 0, ...rest };
}
