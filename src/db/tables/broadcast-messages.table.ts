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

/** What administrators tell everybody for some time. */
export interface BroadcastMessagesTable {
  id: Id;
  message: string;
  starts_at: Timestamp;
  ends_at: Timestamp;
  /** Colour of the letters, `#FFFFFF`. */
  font: string;
  theme: (typeof BROADCAST_THEMES)[number];
  /** Levels of those whom it is for; empty for everybody. */
  target_access_levels: DefaultedJson<number[]>;
  /** Path that it is for, with `*`; null for all. */
  target_path: string | null;
  broadcast_type: (typeof BROADCAST_TYPES)[number];
  dismissable: Defaulted<Bit>;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type BroadcastMessage = Selectable<BroadcastMessagesTable>;

export const broadcastMessagesOwnership: Ownership<BroadcastMessagesTable> = { plain: ['broadcast_type'] };
