import type { UserCaller } from '../../../access/caller.ts';
import type { ProjectPermissions } from '../../../access/permissions.ts';
import { badRequest, forbidden } from '../../../core/errors.ts';
import type { Note } from '../../../db/tables/repositories.ts';
import type { Noteable } from './noteable.ts';

/** Who wants to write in a discussion. */
export interface Writer {
  caller: UserCaller;
  permissions: ProjectPermissions;
}

/** Whether somebody who may read the noteable may comment on it: everyone, or members when it is locked. */
export const mayComment = (permissions: ProjectPermissions, { type, locked }: Noteable): boolean =>
  permissions.can(type === 'Commit' ? 'comment_on_commit' : 'create_note') && (!locked || permissions.level > 0);

/** @throws ApiError 403 */
export function requireComment({ permissions }: Writer, noteable: Noteable): void {
  if (!mayComment(permissions, noteable)) throw forbidden();
}

/** Internal notes are for issues and merge requests, by those who may read them. @throws ApiError 400, 403 */
export function requireInternal({ permissions }: Writer, { type }: Noteable, internal: boolean): void {
  if (!internal) return;
  if (!permissions.can('read_internal_note')) throw forbidden();
  if (type === 'Snippet' || type === 'Commit') throw badRequest('Note {:internal=>["can not be set here"]}');
}

/**
 * A note is changed and removed by its author, as long as he may comment, and by Maintainers; what the system wrote by
 * nobody.
 * @throws ApiError 403
 */
export function requireNoteChange({ caller, permissions }: Writer, noteable: Noteable, note: Note): void {
  const own = note.author_id === caller.user.id && mayComment(permissions, noteable);
  if (note.system === 1 || !(own || permissions.can('update_note'))) throw forbidden();
}

/** Threads of a merge request are resolved by its author and by Developers. @throws ApiError 403 */
export function requireResolve({ caller, permissions }: Writer, noteable: Noteable): void {
  const author = noteable.authorId === caller.user.id && mayComment(permissions, noteable);
  if (!author && !permissions.can('resolve_note')) throw forbidden();
}

/** Only owners and administrators say when a note was written; from others the date is passed over. */
export const mayDate = ({ permissions }: Pick<Writer, 'permissions'>): boolean => permissions.can('own_project');
