import type { Selectable } from 'kysely';
import type { Bit, Day, Defaulted, Id, Timestamp } from '../columns.ts';

export type UserState = 'active' | 'blocked' | 'deactivated' | 'banned' | 'blocked_pending_approval' | 'ldap_blocked';
export type UserKind = 'human' | 'project_bot' | 'group_bot' | 'service_account' | 'ghost';

export interface UsersTable {
  id: Id;
  username: string;
  name: string;
  email: string;
  kind: Defaulted<UserKind>;
  state: Defaulted<UserState>;
  admin: Defaulted<Bit>;
  external: Defaulted<Bit>;
  auditor: Defaulted<Bit>;
  private_profile: Defaulted<Bit>;
  can_create_group: Defaulted<Bit>;
  projects_limit: Defaulted<number>;
  password_hash: string | null;
  public_email: string | null;
  commit_email: string | null;
  notification_email: string | null;
  bio: Defaulted<string>;
  location: Defaulted<string>;
  linkedin: Defaulted<string>;
  twitter: Defaulted<string>;
  discord: Defaulted<string>;
  website_url: Defaulted<string>;
  github: Defaulted<string>;
  job_title: Defaulted<string>;
  pronouns: string | null;
  organization: Defaulted<string>;
  note: string | null;
  theme_id: number | null;
  color_scheme_id: Defaulted<number>;
  preferred_language: Defaulted<string>;
  /** Key of the picture in the blob store with its file name, `<sha256>/<name>`. */
  avatar: string | null;
  created_by_id: number | null;
  created_at: Timestamp;
  updated_at: Timestamp;
  confirmed_at: Timestamp | null;
  last_sign_in_at: Timestamp | null;
  current_sign_in_at: Timestamp | null;
  last_activity_on: Day | null;
  /** Of service accounts: the group or project that made it; null for those of the whole server. */
  provisioned_by_group_id: number | null;
  provisioned_by_project_id: number | null;
}
export type User = Selectable<UsersTable>;

/** A further e-mail address of a user; the first one is in `users`. */
export interface EmailsTable {
  id: Id;
  user_id: number;
  email: string;
  confirmed_at: Timestamp | null;
  created_at: Timestamp;
}
export type Email = Selectable<EmailsTable>;

/** Who a user is at another provider of identities. */
export interface UserIdentitiesTable {
  id: Id;
  user_id: number;
  provider: string;
  extern_uid: string;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface SshKeysTable {
  id: Id;
  user_id: number;
  title: string;
  key: string;
  /** `SHA256:...` without padding; unique over all keys, deploy keys included. */
  fingerprint: string;
  /** Pairs of hexadecimal digits with colons; only looked up, never relied on. */
  md5_fingerprint: string;
  usage_type: Defaulted<'auth' | 'signing' | 'auth_and_signing'>;
  created_at: Timestamp;
  expires_at: Timestamp | null;
  last_used_at: Timestamp | null;
}
export type SshKey = Selectable<SshKeysTable>;

/** What a user says about himself at the moment. */
export interface UserStatusesTable {
  user_id: number;
  /** Name of an emoji without colons. */
  emoji: string;
  message: string;
  availability: 'not_set' | 'busy';
  /** From then on there is no status. */
  clear_status_at: Timestamp | null;
}
export type UserStatus = Selectable<UserStatusesTable>;
