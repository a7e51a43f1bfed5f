import type { Selectable } from 'kysely';
import type { Defaulted, Id, Timestamp } from '../columns.ts';
import type { Ownership } from '../ownership.ts';

export interface SshKeysTable {
  id: Id;
  user_id: number;
  title: string;
  key: string;
  /** `SHA256:...` without padding; unique over all keys, deploy keys included. */
  fingerprint: string;
  /** Pairs of hexadecimal digits with colons; only for lookups, not for security. */
  md5_fingerprint: string;
  usage_type: Defaulted<'auth' | 'signing' | 'auth_and_signing'>;
  created_at: Timestamp;
  expires_at: Timestamp | null;
  last_used_at: Timestamp | null;
}
export type SshKey = Selectable<SshKeysTable>;

export const sshKeysOwnership: Ownership<SshKeysTable> = { plain: ['usage_type'] };
