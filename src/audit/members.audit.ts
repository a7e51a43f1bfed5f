import { roleName } from '../core/access-levels.ts';
import { today } from '../core/clock.ts';
import type { Db } from '../db/db.schema.ts';
import type { Member } from '../db/tables/members.table.ts';
import type { Deps } from '../deps.ts';
import { type AuditEntry, auditEntity, recordAudit } from './record.audit.ts';

/** Recorded facts of a membership. */
export type MembershipFacts = Pick<Member, 'id' | 'source_type' | 'source_id' | 'user_id' | 'access_level'> &
  Partial<Pick<Member, 'expires_at' | 'member_role_id'>>;

/**
 * Records, in the transaction, that a membership was created, changed or deleted.
 * @param before its earlier state, if it was changed
 */
export async function recordMembership(
  deps: Pick<Deps, 'clock'>,
  db: Db,
  happened: 'member.added' | 'member.updated' | 'member.removed',
  member: MembershipFacts,
  actorId: number | null,
  before: MembershipFacts = member,
): Promise<void> {
  const user = await db.selectFrom('users').select('name').where('id', '=', member.user_id).executeTakeFirst();
  const common = {
    entity: auditEntity(member.source_type, member.source_id),
    target: { id: member.user_id, type: 'User', details: user?.name ?? 'unknown' },
    actorId,
  };
  const entry = await entryOf(db, happened, member, before);
  const { expires_at } = member;
  const ended = happened === 'member.removed' && expires_at != null && expires_at <= today(deps.clock);
  const more = ended ? { ...entry.more, reason: `access expired on ${expires_at}` } : { ...entry.more };
  await recordAudit(deps, db, { ...common, ...entry, more });
}

async function entryOf(
  db: Db,
  happened: 'member.added' | 'member.updated' | 'member.removed',
  member: MembershipFacts,
  before: MembershipFacts,
): Promise<Pick<AuditEntry, 'name' | 'message' | 'more'>> {
  const { id: member_id, member_role_id = null, expires_at = null } = member;
  const as = await titleOf(db, member.access_level, member_role_id);
  if (happened === 'member.added') {
    const more = { add: 'user_access', as, member_id, expiry_to: expires_at };
    return { name: 'member_created', message: 'Membership created', more };
  }
  if (happened === 'member.removed') {
    const more = { remove: 'user_access', member_id };
    return { name: 'member_destroyed', message: 'Membership destroyed', more };
  }
  const from = await titleOf(db, before.access_level, before.member_role_id ?? null);
  const expiry = { expiry_from: before.expires_at ?? null, expiry_to: expires_at };
  const more = { change: 'access_level', from, to: as, ...expiry, member_id };
  const message =
    from === as && expiry.expiry_from !== expiry.expiry_to
      ? `Changed expiry from ${expiry.expiry_from ?? 'never expires'} to ${expiry.expiry_to ?? 'never expires'}`
      : `Changed access level from ${from} to ${as}`;
  return { name: 'member_updated', message, more };
}

/** Name of a role; custom roles with their base level. */
export async function titleOf(db: Db, level: number, memberRoleId: number | null): Promise<string> {
  if (memberRoleId === null) return roleName(level);
  const role = await db.selectFrom('member_roles').select('name').where('id', '=', memberRoleId).executeTakeFirst();
  return role === undefined ? roleName(level) : `${role.name} (${roleName(level)})`;
}
