import { allowsOn } from '../../../access/ability-target.ts';
import type { UserCaller } from '../../../access/caller.ts';
import type { ProjectPermissions } from '../../../access/permissions.ts';
import { badRequest, forbidden } from '../../../core/core.errors.ts';
import type { Note } from '../../../db/tables/notes.table.ts';
import type { Noteable } from './noteable.ts';
import { noteableTarget, noteTarget } from './notes.access.ts';

/** The author of a note, with their permissions. */
export interface Writer {
  caller: UserCaller;
  permissions: ProjectPermissions;
}

/** Whether a reader of the noteable may comment on it: everyone, or only members if it is locked. */
export const mayComment = (permissions: ProjectPermissions, { type, locked }: Noteable): boolean =>
  permissions.can(type === 'Commit' ? 'comment_on_commit' : 'create_note', { locked });

/** @throws ApiError 403 */
export function requireComment({ permissions }: Writer, noteable: Noteable): void {
  if (!mayComment(permissions, noteable)) throw forbidden();
}

/**
 * Checks an internal note: only on issues and merge requests, by users who may read internal notes.
 * @throws ApiError 400, 403
 */
export function requireInternal({ permissions }: Writer, { type }: Noteable, internal: boolean): void {
  if (!internal) return;
  if (!permissions.can('read_internal_note')) throw forbidden();
  if (type === 'Snippet' || type === 'Commit') throw badRequest('Note {:internal=>["can not be set here"]}');
}

/** @throws ApiError 403 if the caller may not change the note */
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

/** @throws ApiError 403 if the writer may not resolve threads on it */
export async function requireResolve(writer: Writer, noteable: Noteable): Promise<void> {
  if (!(await mayResolve(writer, noteable))) throw forbidden();
}

/** Whether the writer may set the creation time: owners and administrators only; ignored for others. */
export const mayDate = ({ permissions }: Pick<Writer, 'permissions'>): boolean => permissions.can('own_project');
