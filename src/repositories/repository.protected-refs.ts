import type { Insertable } from 'kysely';
import { type Clock, timestamp } from '../core/clock.ts';
import { forbidden } from '../core/core.errors.ts';
import { type Bit, bit } from '../db/columns.ts';
import type { Db } from '../db/db.schema.ts';
import type { ProtectedRefLevel, ProtectedRefLevelsTable } from '../db/tables/protected-ref-levels.table.ts';
import type { ProtectedRef } from '../db/tables/protected-refs.table.ts';
import type { Deps } from '../deps.ts';
import { type Actor, type Protection, protectionAllows } from './repository.protections.ts';

/** Subject of a level: exactly one property is set. */
export type LevelSubject = Pick<ProtectedRefLevel, 'access_level' | 'user_id' | 'group_id' | 'deploy_key_id'>;

export interface NewLevel extends LevelSubject {
  action: ProtectedRefLevel['action'];
}

export interface NewProtection {
  projectId: number;
  kind: ProtectedRef['kind'];
  /** A name, or a pattern with `*`. */
  name: string;
  allowForcePush?: boolean;
  codeOwnerApprovalRequired?: boolean;
  levels: readonly NewLevel[];
}

/** Everyone with at least an access level. */
export const atLevel = (access_level: number): LevelSubject => ({
  access_level,
  user_id: null,
  group_id: null,
  deploy_key_id: null,
});

/** Inserts a protection with its levels. Takes a transaction's handle; an existing name causes a unique violation. */
export async function insertProtection(db: Db, clock: Clock, input: NewProtection): Promise<Protection> {
  const now = timestamp(clock);
  const row = await db
    .insertInto('protected_refs')
    .values({
      project_id: input.projectId,
      kind: input.kind,
      name: input.name,
      allow_force_push: bit(input.allowForcePush ?? false) as Bit,
      code_owner_approval_required: bit(input.codeOwnerApprovalRequired ?? false) as Bit,
      created_at: now,
      updated_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return { ...row, levels: await insertLevels(db, row.id, input.levels) };
}

/** Inserts levels of a protection. */
export async function insertLevels(
  db: Db,
  protectionId: number,
  levels: readonly NewLevel[],
): Promise<ProtectedRefLevel[]> {
  if (levels.length === 0) return [];
  const values = levels.map(
    ({ action, access_level, user_id, group_id, deploy_key_id }): Insertable<ProtectedRefLevelsTable> => ({
      protected_ref_id: protectionId,
      action,
      access_level,
      user_id,
      group_id,
      deploy_key_id,
    }),
  );
  const rows = await db.insertInto('protected_ref_levels').values(values).returningAll().execute();
  return rows.sort((a, b) => a.id - b.id);
}

/** The protection with exactly this name or pattern; undefined if there is none. */
export async function findProtection(
  db: Db,
  projectId: number,
  kind: ProtectedRef['kind'],
  name: string,
): Promise<Protection | undefined> {
  const row = await db
    .selectFrom('protected_refs')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('kind', '=', kind)
    .where('name', '=', name)
    .executeTakeFirst();
  return row === undefined ? undefined : (await withLevels(db, [row]))[0];
}

/** Adds levels to protections, with one query. */
export async function withLevels(db: Db, rows: readonly ProtectedRef[]): Promise<Protection[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const levels = await db
    .selectFrom('protected_ref_levels')
    .selectAll()
    .where('protected_ref_id', 'in', ids)
    .orderBy('id')
    .execute();
  return rows.map((row) => ({ ...row, levels: levels.filter((level) => level.protected_ref_id === row.id) }));
}

/** Removes a protection with its levels. @returns whether it existed */
export async function removeProtection(db: Db, id: number): Promise<boolean> {
  const result = await db.deleteFrom('protected_refs').where('id', '=', id).executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** Requires the right to change or remove a protection. @throws ApiError 403 */
export async function requireUnprotect(deps: Deps, actor: Actor, protection: Protection): Promise<void> {
  const limited = protection.levels.some(({ action }) => action === 'unprotect');
  if (!limited || actor.caller.admin) return;
  if (!(await protectionAllows(deps, actor, [protection], 'unprotect'))) throw forbidden();
}
