import type { User } from '../../../db/tables/users.ts';
import type { Followed } from '../recipients/subscriptions.ts';
import type { Block } from './block.ts';

/** Where a mail stands among others about the same; ids without the host. */
export interface Thread {
  /** What the mail itself is called; another name each time when absent. */
  own?: string;
  /** The mails before it, of which it answers the last. */
  before?: readonly string[];
}

/** A mail before it is known whom it is for. */
export interface Letter {
  subject: string;
  /** The sentences that say what happened stand before; this is what all are shown below them. */
  body: readonly Block[];
  /** The page that it is about. */
  url: string;
  thread: Thread;
  headers: Readonly<Record<string, string>>;
  /** What one can stop to follow. */
  followed: Followed | null;
  /** Who did it. */
  actor: User | null;
}

/** The name that a mail of what somebody did comes from. */
export const senderName = ({ name, username }: Pick<User, 'name' | 'username'>): string => `${name} (@${username})`;
