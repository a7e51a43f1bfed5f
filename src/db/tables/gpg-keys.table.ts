import type { Selectable } from 'kysely';
import type { Id, Timestamp } from '../columns.ts';

/** GPG keys of users for signed commits. */
export interface GpgKeysTable {
  id: Id;
  user_id: number;
  /** Armoured public key. */
  key: string;
  /** Of the primary key: hexadecimal, upper case. */
  fingerprint: string;
  created_at: Timestamp;
}
export type GpgKey = Selectable<GpgKeysTable>;
