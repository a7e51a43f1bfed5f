import type { User } from '../../../db/tables/users.table.ts';
import type { Subscribable } from '../recipients/recipients.subscriptions.ts';
import type { Block } from './notification-mails.block.ts';

/** Message ids of a mail and of its thread, without the host. */
export interface MailThread {
  /** Id of the mail itself; a new one each time when absent. */
  own?: string;
  /** Ids of the preceding mails; the last one is the one it replies to. */
  before?: readonly string[];
}

/** A mail without a recipient. */
export interface MailDraft {
  subject: string;
  /** Blocks for all recipients, below the sentences about the event. */
  body: readonly Block[];
  /** Web URL of the topic. */
  url: string;
  thread: MailThread;
  headers: Readonly<Record<string, string>>;
  /** Object that the recipient can unsubscribe from. */
  followed: Subscribable | null;
  /** The user who caused the event. */
  actor: User | null;
}

/** Sender name of a mail about an action of a user. */
export const senderName = ({ name, username }: Pick<User, 'name' | 'username'>): string => `${name} (@${username})`;
