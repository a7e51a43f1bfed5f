import { randomBytes } from 'node:crypto';
import type { UserCaller } from '../../../access/caller.ts';
import { group as onGroup, recordAudit } from '../../../audit/record.audit.ts';
import { timestamp } from '../../../core/clock.ts';
import type { Db } from '../../../db/db.schema.ts';
import {
  type ImportSourceUser,
  type SourceUserStatus,
  SOURCE_USER_STATUS as STATUS,
} from '../../../db/tables/import-source-users.table.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import { jobKind } from '../../../jobs/jobs.kinds.ts';
import { AUTOMATIC } from '../../../mail/mail.ts';
import { enqueueMail } from '../../../mail/send-mail.ts';
import { applicationSettings } from '../../../settings/application-settings.ts';

/** Moves the contributions of a source user. */
export const REASSIGN = jobKind<{ source_user_id: number }>('placeholders.reassign', {
  lane: 'transfers',
  maxAttempts: 8,
  timeoutMs: 6 * 3_600_000,
});

/** States in which contributions can be reassigned. */
export const REASSIGNABLE: readonly SourceUserStatus[] = [STATUS.pending_reassignment, STATUS.rejected];

const TOKEN_BYTES = 24;

/** Displayed name of a source user. */
export const displayNameOf = ({ source_name, source_username, source_hostname }: ImportSourceUser): string =>
  `${source_name ?? 'somebody'}${source_username === null ? '' : ` (@${source_username})`} of ${source_hostname}`;

/**
 * Assigns the contributions of a source user to a user, who must accept first, unless administrators have disabled that
 * for themselves.
 * @param db handle of the transaction
 * @returns false if the state does not allow it
 */
export async function assign(deps: Deps, db: Db, row: ImportSourceUser, to: User, by: UserCaller): Promise<boolean> {
  const bypass = by.admin && (await applicationSettings(deps, db)).allow_bypass_placeholder_confirmation;
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const { numUpdatedRows } = await db
    .updateTable('import_source_users')
    .set({
      status: bypass ? STATUS.reassignment_in_progress : STATUS.awaiting_approval,
      reassign_to_user_id: to.id,
      reassigned_by_user_id: by.user.id,
      reassignment_token: bypass ? null : token,
      reassignment_error: null,
      updated_at: timestamp(deps.clock),
    })
    .where('id', '=', row.id)
    .where('status', 'in', REASSIGNABLE)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  await recordReassignment(deps, db, row, 'proposed', to.username);
  if (bypass) {
    await deps.jobs.enqueue(db, REASSIGN, { source_user_id: row.id });
    return true;
  }
  const address = `${deps.externalUrl()}/import/source_users/${row.namespace_id}/${token}`;
  await enqueueMail(db, deps, {
    to: to.notification_email ?? to.email,
    subject: `Confirm that the contributions of ${displayNameOf(row)} are yours`,
    text: [
      `${by.user.name} (@${by.user.username}) wants to assign the contributions of ${displayNameOf(row)} to you.`,
      'If you are this person, accept: issues, comments, merge requests and memberships are then assigned to you.',
      `Accept: POST ${address}/accept`,
      `Decline: POST ${address}/decline`,
    ].join('\n\n'),
    headers: AUTOMATIC,
  });
  return true;
}

const MESSAGES = {
  proposed: 'were proposed to',
  accepted: 'were accepted by',
  declined: 'were declined by',
  completed: 'were assigned to',
  failed: 'could not be assigned to',
} as const;

/** Records the audit event of a reassignment. @param to user name of the assignee */
export async function recordReassignment(
  deps: Deps,
  db: Db,
  row: ImportSourceUser,
  action: keyof typeof MESSAGES,
  to: string,
): Promise<void> {
  await recordAudit(deps, db, {
    name: `placeholder_reassignment_${action}`,
    entity: onGroup(row.namespace_id),
    target: { id: row.id, type: 'Import::SourceUser', details: displayNameOf(row) },
    message: `Contributions of ${displayNameOf(row)} ${MESSAGES[action]} @${to}`,
    actorId: row.reassigned_by_user_id,
  });
}

/** Notifies the user who requested a reassignment of its result. */
export async function notifyReassignment(deps: Deps, db: Db, row: ImportSourceUser, what: string): Promise<void> {
  const asker = await db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', row.reassigned_by_user_id ?? 0)
    .executeTakeFirst();
  if (asker === undefined || asker.state !== 'active') return;
  await enqueueMail(db, deps, {
    to: asker.notification_email ?? asker.email,
    subject: `Reassignment of ${displayNameOf(row)}`,
    text: what,
    headers: AUTOMATIC,
  });
}
