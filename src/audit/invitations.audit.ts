import type { Db } from '../db/db.schema.ts';
import type { Invitation } from '../db/tables/invitations.table.ts';
import type { Deps } from '../deps.ts';
import { titleOf } from './members.audit.ts';
import { type AuditEntry, auditEntity, recordAudit } from './record.audit.ts';

const MESSAGES = {
  invitation_created: 'Invitation sent',
  invitation_updated: 'Invitation changed',
  invitation_deleted: 'Invitation withdrawn',
  invitation_accepted: 'Invitation accepted',
} as const;

/**
 * Records a change of an invitation to a project or group, in the transaction.
 * @param invitation its current or last state
 * @param before its earlier state, if it was changed
 */
export async function recordInvitation(
  deps: Pick<Deps, 'clock'>,
  db: Db,
  name: keyof typeof MESSAGES,
  invitation: Invitation,
  before: Invitation = invitation,
): Promise<void> {
  const as = await titleOf(db, invitation.access_level, invitation.member_role_id);
  const more: AuditEntry['more'] =
    name === 'invitation_updated'
      ? {
          change: 'access_level',
          from: await titleOf(db, before.access_level, before.member_role_id),
          to: as,
          expiry_from: before.expires_at,
          expiry_to: invitation.expires_at,
        }
      : { as, expiry_to: invitation.expires_at };
  await recordAudit(deps, db, {
    name,
    entity: auditEntity(invitation.source_type, invitation.source_id),
    target: { id: invitation.id, type: 'Invitation', details: invitation.email },
    message: MESSAGES[name],
    more,
  });
}
