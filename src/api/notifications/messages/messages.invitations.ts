import { createHash } from 'node:crypto';
import { roleName } from '../../../core/access-levels.ts';
import { today } from '../../../core/clock.ts';
import type { Db } from '../../../db/db.schema.ts';
import { asciiLower, startsWith } from '../../../db/like.ts';
import { lockRow } from '../../../db/lock-row.ts';
import type { Invitation } from '../../../db/tables/invitations.table.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import type { Mail } from '../../../mail/mail.ts';
import { enqueueMail, mailHost } from '../../../mail/send-mail.ts';
import { applicationSettings } from '../../../settings/application-settings.ts';
import { maySignUp } from '../../../settings/sign-up-addresses.ts';
import { senderName } from '../mails/mail-draft.ts';
import { recordMails } from '../mails/mail-log.ts';
import { line } from '../mails/notification-mails.block.ts';
import { bodyOf, mailFormatOf } from '../mails/notification-mails.compose.ts';
import { reachableUsers } from '../recipients/recipients.readers.ts';
import { type MembershipSource, membershipSourceOf } from './messages.membership.ts';

const DAY_MS = 86_400_000;
const BATCH = 500;
/** Days after which open invitations are reminded. */
const REMINDED_AFTER = [2, 5, 10] as const;
/**
 * Maximum number of invitation mails by a user, and to an address, in 24 hours: anybody can create groups and invite.
 */
const DAILY_BY_USER = 200;
const DAILY_TO_ADDRESS = 20;

/**
 * Sends the mail of an open invitation; idempotent.
 * @param reminder 0 for the invitation itself, else the number of the reminder
 */
export async function notifyInvited(deps: Deps, id: number, reminder = 0): Promise<void> {
  const invitation = await deps.db.selectFrom('invitations').selectAll().where('id', '=', id).executeTakeFirst();
  if (invitation === undefined || invitation.created_by_id === null) return;
  const { source_type, source_id, expires_at, email } = invitation;
  if (expires_at !== null && expires_at <= today(deps.clock)) return;
  const [inviter] = await reachableUsers(deps, [invitation.created_by_id]);
  const source = await membershipSourceOf(deps, source_type, source_id);
  if (inviter === undefined || source === undefined || !maySignUp(await applicationSettings(deps), email)) return;
  const mail = await mailOf(deps, invitation, source, inviter, reminder);
  await deps.db.transaction().execute(async (db) => {
    await lockRow(db, 'users', inviter.id);
    // Reminders have their own limit, so that they do not block new invitations.
    const kind = reminder === 0 ? 'invitation:' : 'reminder:';
    const about = `${kind}${createHash('sha256').update(asciiLower(email)).digest('hex')}:`;
    if (!(await isBelowLimits(deps, db, inviter.id, { kind, about }))) {
      deps.log.log('warn', 'invitation not mailed: the daily limit is reached', { invitation_id: id });
      return;
    }
    const fresh = await recordMails(deps, db, `${about}${id}:${reminder}`, [inviter.id]);
    if (fresh.size > 0) await enqueueMail(db, deps, mail);
  });
}

async function isBelowLimits(
  deps: Deps,
  db: Db,
  inviterId: number,
  { kind, about }: Record<'kind' | 'about', string>,
): Promise<boolean> {
  const since = new Date(deps.clock.now().getTime() - DAY_MS).toISOString();
  const lately = db
    .selectFrom('notification_mails')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('created_at', '>', since);
  const { count: by } = await lately
    .where('user_id', '=', inviterId)
    .where((eb) => startsWith(eb, eb.ref('occasion'), kind))
    .executeTakeFirstOrThrow();
  const { count: to } = await lately.where((eb) => startsWith(eb, eb.ref('occasion'), about)).executeTakeFirstOrThrow();
  return Number(by) < DAILY_BY_USER && Number(to) < DAILY_TO_ADDRESS;
}

async function mailOf(
  deps: Deps,
  { email, access_level }: Invitation,
  { kind, name, path, url, headers }: MembershipSource,
  inviter: User,
  reminder: number,
): Promise<Mail> {
  const manner = await mailFormatOf(deps);
  const host = mailHost(deps);
  const again = reminder === 0 ? 'invites you' : 'is waiting for you';
  const blocks = [
    line(`${senderName(inviter)} ${again} to join the ${kind} ${path} as ${roleName(access_level)}.`),
    line(`You become a member when the address ${email} is confirmed for an account on ${host}.`),
  ];
  const because = `You receive this mail because ${inviter.name} entered your address on ${host}. There are at most three reminders.`;
  return {
    to: email,
    fromName: senderName(inviter),
    subject:
      reminder === 0
        ? `${inviter.name} invited you to join ${name}`
        : `${inviter.name} is waiting for you to join ${name}`,
    ...bodyOf(manner, blocks, { reason: because, links: [['View it', url]] }),
    headers,
  };
}

/** Sends reminders of invitations that have been open for two, five and ten days. */
export async function remindInvited(deps: Deps, signal: AbortSignal): Promise<void> {
  for (const [index, days] of REMINDED_AFTER.entries()) {
    const day = new Date(deps.clock.now().getTime() - days * DAY_MS).toISOString().slice(0, 10);
    for (let after = { created_at: day, id: 0 }; !signal.aborted; ) {
      const rows = await deps.db
        .selectFrom('invitations')
        .select(['id', 'created_at'])
        .where('created_at', '<=', `${day}T23:59:59.999Z`)
        .where((eb) => eb(eb.refTuple('created_at', 'id'), '>', eb.tuple(after.created_at, after.id)))
        .orderBy('created_at')
        .orderBy('id')
        .limit(BATCH)
        .execute();
      for (const { id } of rows) if (!signal.aborted) await notifyInvited(deps, id, index + 1);
      if (rows.length < BATCH) break;
      after = rows.at(-1)!;
    }
  }
}
