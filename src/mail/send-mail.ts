import { randomUUID } from 'node:crypto';
import type { Db } from '../db/db.schema.ts';
import type { Deps } from '../deps.ts';
import { jobKind } from '../jobs/jobs.kinds.ts';
import { isSilentMode } from '../settings/silent-mode.ts';
import type { Mail } from './mail.ts';

const SEND_MAIL = jobKind<Mail & { messageId: string }>('mail.send', { lane: 'mail', timeoutMs: 120_000 });

/** The host of the external URL, which is part of message ids and list ids. */
export const mailHost = (deps: Pick<Deps, 'externalUrl'>): string => new URL(deps.externalUrl()).hostname;

/**
 * Enqueues a mail; it is sent after the transaction commits. Delivered at least once: a mail that was being sent when
 * the process ended is sent again with the same Message-ID. Without a mail server the mail is only logged. In silent
 * mode it is dropped.
 * @param db the transaction's handle
 */
export const enqueueMail = (db: Db, deps: Deps, mail: Mail): Promise<void> => enqueueMails(db, deps, [mail]);

/** Enqueues several mails in a few statements. */
export async function enqueueMails(db: Db, deps: Deps, mails: readonly Mail[]): Promise<void> {
  if (isSilentMode(deps)) return;
  if (!deps.mailer.sends) {
    for (const { to, subject } of mails) {
      deps.log.log('info', 'a mail was not sent because STITHY_SMTP_URL is not set', { to, subject });
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

/** Registers the background job. */
export function registerMail(deps: Deps): void {
  deps.jobs.register(SEND_MAIL, async (mail) => {
    if (!isSilentMode(deps)) await deps.mailer.send(mail);
  });
}
