import { allowsOn } from '../../../access/ability-target.ts';
import type { UserCaller } from '../../../access/caller.ts';
import type { ProjectPermissions } from '../../../access/permissions.ts';
import { badRequest, forbidden } from '../../../core/core.errors.ts';
import type { Note } from '../../../db/tables/notes.table.ts';
import type { Noteable } from './noteable.ts';
import { noteableTarget, noteTarget } from './notes.access.ts';

/** Who wants to write in a discussion. */
export interface Writer {
  caller: UserCaller;
  permissions: ProjectPermissions;
}

/** Whether somebody who may read the noteable may comment on it: everyone, or members when it is locked. */
export const mayComment = (permissions: ProjectPermissions, { type, locked }: Noteable): boolean =>
  permissions.can(type === 'Commit' ? 'comment_on_commit' : 'create_note', { locked });

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

/** @throws ApiError 403 for who may not change the note */
export async function requireNoteChange(
  { caller, permissions }: Writer,
  noteable: Noteable,
  note: Note,
): Promise<void> {
  if (!(await allowsOn(permissions, 'update_note', noteTarget(noteable, note, caller.user.id)))) throw forbidden();
}

/** Whether the caller may resolve threads on it. */
export const mayResolve = ({ caller, permissions }: Writer, noteable: Noteable): Promise<boolean> =>
  allowsOn(permissions, 'resolve_note', noteableTarget(noteable, caller.user.id));

/** @throws ApiError 403 for who may not resolve threads on it */
export async function requireResolve(writer: Writer, noteable: Noteable): Promise<void> {
  if (!(await mayResolve(writer, noteable))) throw forbidden();
}

/** Only owners and administrators say when a note was written; from others the date is passed over. */
export const mayDate = ({ permissions }: Pick<Writer, 'permissions'>): boolean => permissions.can('own_project');
