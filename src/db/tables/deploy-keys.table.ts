import type { Selectable } from 'kysely';
import type { Bit, Defaulted, Id, Timestamp } from '../columns.ts';

export interface DeployKeysTable {
  id: Id;
  title: string;
  key: string;
  /** `SHA256:...` without padding; unique over all keys, those of users included. */
  fingerprint: string;
  /** Pairs of hexadecimal digits with colons. */
  md5_fingerprint: Defaulted<string>;
  public: Defaulted<Bit>;
  user_id: number | null;
  created_at: Timestamp;
  expires_at: Timestamp | null;
  last_used_at: Timestamp | null;
}
export type DeployKey = Selectable<DeployKeysTable>;
