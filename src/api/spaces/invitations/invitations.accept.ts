import { lineageIds } from '../../../access/access.membership.ts';
import { recordInvitation } from '../../../audit/invitations.audit.ts';
import { timestamp, today } from '../../../core/clock.ts';
import type { Db } from '../../../db/db.schema.ts';
import { equalsIgnoringCase } from '../../../db/like.ts';
import type { Invitation } from '../../../db/tables/invitations.table.ts';
import type { Deps } from '../../../deps.ts';
import { refusedDomains } from '../groups/email-domains.ts';
import { recordMember } from '../members/members.writes.ts';

/**
 * Makes a user a member of everything that an email address was invited to. Takes the handle of the transaction that
 * confirms the address. The invitation is only deleted if the user has an equal or higher role, if the membership would
 * have expired, or if a group does not allow the domain of the address.
 */
export async function acceptInvitations(deps: Deps, db: Db, userId: number, email: string): Promise<void> {
  const invitations = await db
    .deleteFrom('invitations')
    .where((eb) => equalsIgnoringCase(eb.ref('email'), email))
    .returningAll()
    .execute();
  for (const invitation of invitations) await accept(deps, db, userId, invitation);
}

async function accept(deps: Deps, db: Db, userId: number, invitation: Invitation): Promise<void> {
  const { source_type, source_id, access_level, expires_at } = invitation;
  const day = today(deps.clock);
  if (expires_at !== null && expires_at <= day) return;
  const groups = await groupsAround(db, invitation);
  if (groups === undefined || (await refusedDomains(db, groups, userId)) !== null) return;
  const own = await currentLevel(db, userId, invitation, groups, day);
  // A custom role extends the level that they already have.
  if (own > access_level || (own === access_level && invitation.member_role_id === null)) return;
  const member = await db
    .insertInto('members')
    .values({
      source_type,
      source_id,
      user_id: userId,
      access_level,
      member_role_id: invitation.member_role_id,
      expires_at,
      created_by_id: invitation.created_by_id,
      created_at: timestamp(deps.clock),
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  if (member === undefined) return;
  await recordInvitation(deps, db, 'invitation_accepted', invitation);
  await recordMember(deps, db, 'member.added', member, userId);
}

/** Returns the ids of the group of an invitation and its ancestors; undefined if it was deleted. */
async function groupsAround(db: Db, { source_type, source_id }: Invitation): Promise<number[] | undefined> {
  const namespace =
    source_type === 'group'
      ? await db.selectFrom('namespaces').select('lineage').where('id', '=', source_id).executeTakeFirst()
      : await db
          .selectFrom('projects')
          .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
          .select('lineage')
          .where('projects.id', '=', source_id)
          .executeTakeFirst();
  return namespace && lineageIds(namespace.lineage);
}

/** Returns the user's level from direct and inherited memberships. */
async function currentLevel(
  db: Db,
  userId: number,
  { source_type, source_id }: Invitation,
  groups: readonly number[],
  day: string,
): Promise<number> {
  const { level } = await db
    .selectFrom('members')
    .select(({ fn }) => fn.max<number | null>('access_level').as('level'))
    .where('user_id', '=', userId)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', day)]))
    .where((eb) =>
      eb.or([
        eb.and([eb('source_type', '=', source_type), eb('source_id', '=', source_id)]),
        eb.and([eb('source_type', '=', 'group'), eb('source_id', 'in', groups)]),
      ]),
    )
    .executeTakeFirstOrThrow();
  return Number(level ?? 0);
}
