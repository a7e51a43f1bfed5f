import type { Selectable } from 'kysely';
import type { Bit, Defaulted, DefaultedJson, Id, Timestamp } from '../columns.ts';
import type { Ownership } from '../ownership.ts';

export const BROADCAST_TYPES = ['banner', 'notification'] as const;
export const BROADCAST_THEMES = [
  'indigo',
  'light-indigo',
  'blue',
  'light-blue',
  'green',
  'light-green',
  'red',
  'light-red',
  'dark',
  'light',
] as const;

/** Messages that administrators show to everybody for some time. */
export interface BroadcastMessagesTable {
  id: Id;
  message: string;
  starts_at: Timestamp;
  ends_at: Timestamp;
  /** Colour of the letters, `#FFFFFF`. */
  font: string;
  theme: (typeof BROADCAST_THEMES)[number];
  /** Levels of the users it is shown to; empty for all. */
  target_access_levels: DefaultedJson<number[]>;
  /** Path it is shown on, with `*`; null for all. */
  target_path: string | null;
  broadcast_type: (typeof BROADCAST_TYPES)[number];
  dismissable: Defaulted<Bit>;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type BroadcastMessage = Selectable<BroadcastMessagesTable>;

export const broadcastMessagesOwnership: Ownership<BroadcastMessagesTable> = { plain: ['broadcast_type'] };
