import type { Deps } from '../../../deps.ts';
import { enqueueMails } from '../../../mail/send-mail.ts';
import { notificationEmail } from '../notification-settings/settings.ts';
import { reachableUsers } from '../recipients/readers.ts';
import type { Block } from './block.ts';
import { compose, mannerOf } from './compose.ts';
import { enter } from './ledger.ts';
import type { Letter } from './letter.ts';

/** Users whom one such mail goes to at most. */
const MAX_PEOPLE = 100;

/** What concerns somebody themselves, whatever they have set. */
export interface Personal {
  /** What it is about: each user gets one mail of it. */
  occasion: string;
  userIds: readonly number[];
  letter: Pick<Letter, 'subject' | 'url' | 'actor'> & { headers?: Letter['headers'] };
  said: readonly Block[];
  place?: { projectId?: number; groupId?: number };
}

/** Mails people of what concerns themselves: those who can be written to. */
export async function tellPeople(deps: Deps, { occasion, userIds, letter, said, place }: Personal): Promise<void> {
  const ids = [...new Set(userIds)].slice(0, MAX_PEOPLE);
  const users = ids.length === 0 ? [] : await reachableUsers(deps, ids);
  if (users.length === 0) return;
  const manner = await mannerOf(deps);
  const whole: Letter = { body: [], thread: {}, headers: {}, followed: null, ...letter };
  await deps.db.transaction().execute(async (db) => {
    const fresh = await enter(
      deps,
      db,
      occasion,
      users.map(({ id }) => id),
      place,
    );
    const recipients = users.filter(({ id }) => fresh.has(id));
    const mails = recipients.map((user) =>
      compose(deps, manner, whole, { user, address: notificationEmail(user), reason: undefined }, said),
    );
    await enqueueMails(db, deps, mails);
  });
}
