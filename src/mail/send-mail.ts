import { randomUUID } from 'node:crypto';
import type { Db } from '../db/db.schema.ts';
import type { Deps } from '../deps.ts';
import { jobKind } from '../jobs/jobs.kinds.ts';
import { isSilentMode } from '../settings/silent-mode.ts';
import type { Mail } from './mail.ts';

const SEND_MAIL = jobKind<Mail & { messageId: string }>('mail.send', { lane: 'mail', timeoutMs: 120_000 });

/** The host of the web address: mails and lists are named after it. */
export const mailHost = (deps: Pick<Deps, 'externalUrl'>): string => new URL(deps.externalUrl()).hostname;

/**
 * Has a mail sent, once the transaction that makes it necessary has committed. At least once: a mail that went out when
 * the process ended goes again, under the same Message-ID. Where there is no mail server the log tells of it. In silent mode
 * none is sent, then or later.
 * @param db the transaction's handle
 */
export const enqueueMail = (db: Db, deps: Deps, mail: Mail): Promise<void> => enqueueMails(db, deps, [mail]);

/** Several mails at once, in a few statements however many they are. */
export async function enqueueMails(db: Db, deps: Deps, mails: readonly Mail[]): Promise<void> {
  if (isSilentMode(deps)) return;
  if (!deps.mailer.sends) {
    for (const { to, subject } of mails) {
      deps.log.log('info', 'a mail was not sent: STITHY_SMTP_URL names no mail server', { to, subject });
    }
    return;
  }
  await deps.jobs.enqueueAll(
    db,
    mails.map((mail) => ({
      kind: SEND_MAIL,
      payload: { ...mail, messageId: mail.messageId ?? `${randomUUID()}@${mailHost(deps)}` },
    })),
  );
}

/** Names the work in the background. */
export function registerMail(deps: Deps): void {
  deps.jobs.register(SEND_MAIL, async (mail) => {
    if (!isSilentMode(deps)) await deps.mailer.send(mail);
  });
}
