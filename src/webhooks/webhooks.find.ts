import { recordNotFound } from '../core/core.errors.ts';
import type { Db } from '../db/db.schema.ts';
import type { WebHook } from '../db/tables/web-hooks.table.ts';

/** Whose hooks: those of a project, of a group, or of the server. */
export type HookOwner = { kind: 'project' | 'group'; id: number } | { kind: 'system' };

/** The hooks of one, as a query to count and page. */
export function hooksOf(db: Db, owner: HookOwner) {
  const query = db.selectFrom('web_hooks').selectAll().orderBy('id');
  if (owner.kind === 'system') return query.where('project_id', 'is', null).where('group_id', 'is', null);
  return query.where(owner.kind === 'project' ? 'project_id' : 'group_id', '=', owner.id);
}

/** One of them. @throws ApiError 404 */
export async function findHook(db: Db, owner: HookOwner, id: number): Promise<WebHook> {
  const found = await hooksOf(db, owner).where('id', '=', id).executeTakeFirst();
  if (found === undefined) throw recordNotFound();
  return found;
}
