import type { Selectable } from 'kysely';
import type { Bit, Day, Defaulted, Id, Timestamp } from '../columns.ts';

export type UserState = 'active' | 'blocked' | 'deactivated' | 'banned' | 'blocked_pending_approval' | 'ldap_blocked';

export type UserKind = 'human' | 'project_bot' | 'group_bot' | 'service_account' | 'ghost' | 'placeholder';

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
  skype: Defaulted<string>;
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
  /** Path of the avatar in the blob store with its file name, `<sha256>/<name>`. */
  avatar: string | null;
  created_by_id: number | null;
  created_at: Timestamp;
  updated_at: Timestamp;
  confirmed_at: Timestamp | null;
  last_sign_in_at: Timestamp | null;
  current_sign_in_at: Timestamp | null;
  last_sign_in_ip: string | null;
  current_sign_in_ip: string | null;
  last_activity_on: Day | null;
  /** For service accounts: the group or project that created it; null for those of the instance. */
  provisioned_by_group_id: number | null;
  provisioned_by_project_id: number | null;
}
export type User = Selectable<UsersTable>;
