import type { User } from '../../../db/tables/users.table.ts';
import type { Subscribable } from '../recipients/recipients.subscriptions.ts';
import type { Block } from './notification-mails.block.ts';

/** Where a mail stands among others about the same; ids without the host. */
export interface MailThread {
  /** What the mail itself is called; another name each time when absent. */
  own?: string;
  /** The mails before it, of which it answers the last. */
  before?: readonly string[];
}

/** A mail before it is known whom it is for. */
export interface MailDraft {
  subject: string;
  /** The sentences that say what happened stand before; this is what all are shown below them. */
  body: readonly Block[];
  /** The page that it is about. */
  url: string;
  thread: MailThread;
  headers: Readonly<Record<string, string>>;
  /** What one can stop to follow. */
  followed: Subscribable | null;
  /** Who did it. */
  actor: User | null;
}

/** The name that a mail of what somebody did comes from. */
export const senderName = ({ name, username }: Pick<User, 'name' | 'username'>): string => `${name} (@${username})`;
