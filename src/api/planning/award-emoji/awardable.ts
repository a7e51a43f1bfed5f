import { ApiError, notFound } from '../../../core/core.errors.ts';
import type { AwardEmojiTable } from '../../../db/tables/award-emoji.table.ts';
import type { Deps } from '../../../deps.ts';
import { NOTEABLE_KINDS, type NoteScope } from '../notes/noteable.ts';
import { findNote } from '../notes/notes.find.ts';

/** The object of a reaction, which the caller may read. */
export interface Awardable {
  type: AwardEmojiTable['awardable_type'];
  id: number;
  projectId: number;
  /** Whether only members may react, because the discussion is locked. */
  locked: boolean;
  /** Whether nobody may react, because it is a system note. */
  sealed: boolean;
}

/** Kinds of awardables, with the path parameter of their number. Notes on them are awardable too. */
export const AWARDABLES = [
  { segment: 'issues', param: 'issue_iid', label: 'an issue' },
  { segment: 'merge_requests', param: 'merge_request_iid', label: 'a merge request' },
  { segment: 'snippets', param: 'snippet_id', label: 'a snippet' },
] as const;
type Segment = (typeof AWARDABLES)[number]['segment'];

/**
 * Finds the awardable of a path, possibly a note. Hidden ones are 404.
 * @throws ApiError 404 `404 Award Emoji Not Found`
 */
export async function findAwardable(
  deps: Deps,
  scope: NoteScope,
  { segment, number, noteId }: { segment: Segment; number: number; noteId: number | undefined },
): Promise<Awardable> {
  try {
    return await find(deps, scope, segment, number, noteId);
  } catch (error) {
    throw error instanceof ApiError && error.status === 404 ? notFound('Award Emoji') : error;
  }
}

async function find(
  deps: Deps,
  scope: NoteScope,
  segment: Segment,
  number: number,
  noteId: number | undefined,
): Promise<Awardable> {
  const noteable = await NOTEABLE_KINDS[segment].find(deps, scope, number);
  if (noteable.type === 'Commit') throw notFound();
  const { locked, projectId } = noteable;
  if (noteId === undefined) return { type: noteable.type, id: noteable.id, projectId, locked, sealed: false };
  const { id, system } = await findNote(deps, scope, noteable, noteId);
  return { type: 'Note', id, projectId, locked, sealed: system === 1 };
}
