import { recordNotFound } from '../core/core.errors.ts';
import type { Db } from '../db/db.schema.ts';
import type { WebHook } from '../db/tables/web-hooks.table.ts';

/** Owner of hooks: a project, a group, or the server. */
export type HookOwner = { kind: 'project' | 'group'; id: number } | { kind: 'system' };

/** Query for the hooks of an owner. */
export function hooksOf(db: Db, owner: HookOwner) {
  const query = db.selectFrom('web_hooks').selectAll().orderBy('id');
  if (owner.kind === 'system') return query.where('project_id', 'is', null).where('group_id', 'is', null);
  return query.where(owner.kind === 'project' ? 'project_id' : 'group_id', '=', owner.id);
}

/** Finds a hook of an owner by its id. @throws ApiError 404 */
export async function findHook(db: Db, owner: HookOwner, id: number): Promise<WebHook> {
  return hooksOf(db, owner).where('id', '=', id).executeTakeFirstOrThrow(recordNotFound);
}
