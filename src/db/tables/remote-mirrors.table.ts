import type { Selectable } from 'kysely';
import type { StoredSecret } from '../../core/stored-secret.ts';
import type { Bit, Defaulted, Id, Timestamp } from '../columns.ts';

export const AUTH_METHODS = ['password', 'ssh_public_key'] as const;
export type AuthMethod = (typeof AUTH_METHODS)[number];

export const REMOTE_MIRROR_STATUSES = ['none', 'to_retry', 'started', 'finished', 'failed'] as const;
export type RemoteMirrorStatus = (typeof REMOTE_MIRROR_STATUSES)[number];

/** Push mirrors of projects. */
export interface RemoteMirrorsTable {
  id: Id;
  project_id: number;
  /** Including user and password. */
  url: StoredSecret<'remote_mirrors.url'>;
  enabled: Defaulted<Bit>;
  only_protected_branches: Defaulted<Bit>;
  keep_divergent_refs: Defaulted<Bit>;
  /** RE2 pattern. */
  mirror_branch_regex: string | null;
  auth_method: Defaulted<AuthMethod>;
  /** In OpenSSH's format; set together with `ssh_public_key`. */
  private_key: StoredSecret<'remote_mirrors.private_key'> | null;
  public_key: string | null;
  /** Lines of `known_hosts`. */
  host_keys: string | null;
  update_status: Defaulted<RemoteMirrorStatus>;
  /** Without credentials. */
  last_error: string | null;
  last_update_started_at: Timestamp | null;
  last_update_at: Timestamp | null;
  last_successful_update_at: Timestamp | null;
  /** Number of consecutive failed updates. */
  failures: Defaulted<number>;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type RemoteMirror = Selectable<RemoteMirrorsTable>;
