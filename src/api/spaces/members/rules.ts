import { isTokenBot } from '../../../access/caller.ts';
import { AccessLevel } from '../../../core/access-levels.ts';
import { today } from '../../../core/clock.ts';
import { type FieldErrors, forbidden, invalidModel } from '../../../core/errors.ts';
import type { Db } from '../../../db/schema.ts';
import type { Member } from '../../../db/tables/members.ts';
import type { User } from '../../../db/tables/users.ts';
import type { Deps } from '../../../deps.ts';
import type { Source } from '../source.ts';
import { highestAbove, ownersOf } from './queries.ts';

const ROLES: Record<number, string> = {
  5: 'Minimal Access',
  10: 'Guest',
  15: 'Planner',
  20: 'Reporter',
  30: 'Developer',
  40: 'Maintainer',
  50: 'Owner',
};

/** Name of a level as people read it. */
export const roleName = (level: number): string => ROLES[level] ?? 'No access';

export interface Wanted {
  accessLevel: number;
  /** `YYYY-MM-DD`; null for a membership without end. */
  expiresAt: string | null;
  memberRoleId: number | null;
}

/**
 * Checks a membership that is about to be written: the level exists and is not below what the user inherits, the
 * last day lies ahead. @throws ApiError 400
 */
export async function validateMembership(
  deps: Deps,
  db: Db,
  source: Source,
  userId: number,
  wanted: Wanted,
): Promise<void> {
  const errors: FieldErrors = {};
  const { accessLevel, expiresAt, memberRoleId } = wanted;
  const known = Object.hasOwn(ROLES, accessLevel) && (source.kind === 'group' || accessLevel !== AccessLevel.minimal);
  if (!known) errors.access_level = ['is not included in the list'];
  if (expiresAt !== null && expiresAt < today(deps.clock)) errors.expires_at = ['cannot be a date in the past'];
  if (memberRoleId !== null) errors.member_role = ["can't be blank"];
  const above = known ? await highestAbove(db, source, userId, today(deps.clock)) : undefined;
  if (above !== undefined && above.access_level > accessLevel) {
    errors.access_level = [
      `should be greater than or equal to ${roleName(above.access_level)} inherited membership from group ${above.name}`,
    ];
  }
  if (Object.keys(errors).length > 0) throw invalidModel(errors);
}

/** Custom roles are still to come, so a share can name none. @throws ApiError 400 */
export function refuseMemberRole(id: number | null | undefined): void {
  if (id != null) throw invalidModel({ member_role_id: ['is not the id of a member role'] });
}

/** Nobody gives more than he has, nor touches who stands above him. @throws ApiError 403 */
export function requireLevel(own: number, ...levels: number[]): void {
  if (levels.some((level) => level > own)) throw forbidden();
}

/** Bots belong to their token; the owner of a personal namespace owns its projects. @throws ApiError 403 */
export function requireMovable(source: Source, user: Pick<User, 'id' | 'kind'>): void {
  if (isTokenBot(user)) throw forbidden();
  if (source.kind === 'project' && source.namespace.owner_id === user.id) throw forbidden();
}

/** A group keeps an owner. Call it while the group is locked. @throws ApiError 403 */
export async function requireOtherOwner(deps: Deps, db: Db, source: Source, member: Member): Promise<void> {
  if (source.kind !== 'group' || member.access_level !== AccessLevel.owner) return;
  const others = await ownersOf(db, source, today(deps.clock), member.user_id);
  if (others.length === 0) throw forbidden();
}
