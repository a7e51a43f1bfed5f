import { isTokenBot } from '../../../access/caller.ts';
import {
  covers,
  type EffectiveMembership,
  NO_PERMISSIONS,
  type RolePermissions,
} from '../../../access/role-permissions.ts';
import { AccessLevel, MEMBER_LEVELS, roleName } from '../../../core/access-levels.ts';
import { today } from '../../../core/clock.ts';
import { type FieldErrors, forbidden, invalidModel } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Member } from '../../../db/tables/members.table.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import { refusedDomains } from '../groups/email-domains.ts';
import { assignableRole } from '../member-roles/member-roles.assign.ts';
import type { Source } from '../spaces.source.ts';
import { highestAbove, ownersOf } from './members.queries.ts';

export interface MembershipInput {
  accessLevel: number;
  /** `YYYY-MM-DD`; null if the membership does not expire. */
  expiresAt: string | null;
  memberRoleId: number | null;
}

/**
 * Validates a membership before it is written: the level exists and is not below an inherited one, the custom role
 * applies here and has that base level, the expiry lies ahead. Takes the handle of the transaction that writes it.
 * @returns what it will grant
 * @throws ApiError 400
 */
export async function validateMembership(
  deps: Deps,
  db: Db,
  source: Source,
  userId: number,
  input: MembershipInput,
): Promise<EffectiveMembership> {
  const errors: FieldErrors = {};
  const { accessLevel, expiresAt } = input;
  const known = MEMBER_LEVELS.includes(accessLevel) && (source.kind === 'group' || accessLevel !== AccessLevel.minimal);
  if (!known) errors.access_level = ['is not included in the list'];
  if (expiresAt !== null && expiresAt < today(deps.clock)) errors.expires_at = ['cannot be a date in the past'];
  const permissions = await checkRole(db, source, input, errors);
  const above = known ? await highestAbove(db, source, userId, today(deps.clock)) : undefined;
  if (above !== undefined && above.access_level > accessLevel) {
    errors.access_level = [
      `should be greater than or equal to ${roleName(above.access_level)} inherited membership from group ${above.name}`,
    ];
  }
  if (Object.keys(errors).length > 0) throw invalidModel(errors);
  return { level: accessLevel, permissions };
}

/** Returns the permissions of the requested custom role, adding errors to `errors`. */
async function checkRole(
  db: Db,
  source: Source,
  { accessLevel, memberRoleId }: Omit<MembershipInput, 'expiresAt'>,
  errors: FieldErrors,
): Promise<RolePermissions> {
  if (memberRoleId === null) return NO_PERMISSIONS;
  const role = await assignableRole(db, source, memberRoleId);
  if (role === undefined) {
    errors.member_role = ["can't be blank"];
    return NO_PERMISSIONS;
  }
  if (role.level !== accessLevel) {
    errors.access_level = [`must be ${role.level}, the base access level of the custom role`];
  }
  return role.permissions;
}

/**
 * Validates a share before it is written, in its transaction.
 * @returns what its members get at most
 * @throws ApiError 400
 */
export async function validateShare(
  deps: Deps,
  db: Db,
  source: Source,
  input: MembershipInput,
): Promise<EffectiveMembership> {
  const errors: FieldErrors = {};
  const { accessLevel, expiresAt } = input;
  if (expiresAt !== null && expiresAt < today(deps.clock)) errors.expires_at = ['cannot be a date in the past'];
  const permissions = await checkRole(db, source, input, errors);
  if (Object.keys(errors).length > 0) throw invalidModel(errors);
  return { level: accessLevel, permissions };
}

/** A new member needs an email address that the ancestor groups allow. @throws ApiError 400 */
export async function requireAllowedDomain(db: Db, source: Source, userId: number): Promise<void> {
  const domains = await refusedDomains(db, source.lineage, userId);
  if (domains !== null)
    throw invalidModel({ user: [`email does not match the allowed domains: ${domains.join(', ')}`] });
}

/** Refuses to grant more than one has, and to change members above oneself. @throws ApiError 403 */
export function requireCover(own: EffectiveMembership, source: Source, ...others: EffectiveMembership[]): void {
  if (others.some((other) => !covers(own, other, source.kind))) throw forbidden();
}

/** Bots belong to their token, and the owner of a personal namespace owns its projects. @throws ApiError 403 */
export function requireMovable(source: Source, user: Pick<User, 'id' | 'kind'>): void {
  if (isTokenBot(user)) throw forbidden();
  if (source.kind === 'project' && source.namespace.owner_id === user.id) throw forbidden();
}

/** A group must keep an owner. Call it while the group is locked. @throws ApiError 403 */
export async function requireOtherOwner(deps: Deps, db: Db, source: Source, member: Member): Promise<void> {
  if (source.kind !== 'group' || member.access_level !== AccessLevel.owner) return;
  const others = await ownersOf(db, source, today(deps.clock), member.user_id);
  if (others.length === 0) throw forbidden();
}
