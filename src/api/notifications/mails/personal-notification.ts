import { pluck } from '../../../core/pluck.ts';
import type { Deps } from '../../../deps.ts';
import { enqueueMails } from '../../../mail/send-mail.ts';
import { notificationEmail } from '../notification-settings/notification-settings.settings.ts';
import { reachableUsers } from '../recipients/recipients.readers.ts';
import type { MailDraft } from './mail-draft.ts';
import { recordMails } from './mail-log.ts';
import type { Block } from './notification-mails.block.ts';
import { compose, mailFormatOf } from './notification-mails.compose.ts';

/** Maximum number of recipients. */
const MAX_PEOPLE = 100;

/** A notification that concerns users personally, regardless of their settings. */
export interface PersonalNotification {
  /** Key of the occasion: each user gets one mail per occasion. */
  occasion: string;
  userIds: readonly number[];
  draft: Pick<MailDraft, 'subject' | 'url' | 'actor'> & { headers?: MailDraft['headers'] };
  sentences: readonly Block[];
  space?: { projectId?: number; groupId?: number };
}

/** Sends personal notifications to the users with a confirmed address. */
export async function notifyUsers(
  deps: Deps,
  { occasion, userIds, draft, sentences, space }: PersonalNotification,
): Promise<void> {
  const ids = [...new Set(userIds)].slice(0, MAX_PEOPLE);
  const users = ids.length === 0 ? [] : await reachableUsers(deps, ids);
  if (users.length === 0) return;
  const format = await mailFormatOf(deps);
  const whole: MailDraft = { body: [], thread: {}, headers: {}, followed: null, ...draft };
  await deps.db.transaction().execute(async (db) => {
    const fresh = await recordMails(deps, db, occasion, pluck(users, 'id'), space);
    const recipients = users.filter(({ id }) => fresh.has(id));
    const mails = recipients.map((user) =>
      compose(deps, format, whole, { user, address: notificationEmail(user), reason: undefined }, sentences),
    );
    await enqueueMails(db, deps, mails);
  });
}
