import type { Selectable } from 'kysely';
import type { Bit, Day, Defaulted, Id, Json, Timestamp } from '../columns.ts';

/** Personal, impersonation, project and group access tokens. */
export interface AccessTokensTable {
  id: Id;
  user_id: number;
  name: string;
  description: string | null;
  digest: string;
  scopes: Json<string[]>;
  impersonation: Defaulted<Bit>;
  revoked: Defaulted<Bit>;
  expires_at: Day | null;
  created_at: Timestamp;
  last_used_at: Timestamp | null;
  last_used_ips: Defaulted<string>;
  /** Set for project and group access tokens. */
  resource_type: 'project' | 'group' | null;
  resource_id: number | null;
  /** The first token of a chain of rotations; null for that first one. */
  family_id: number | null;
}
export type AccessToken = Selectable<AccessTokensTable>;

export interface OauthApplicationsTable {
  id: Id;
  uid: string;
  secret_digest: string;
  name: string;
  redirect_uri: string;
  scopes: Json<string[]>;
  confidential: Defaulted<Bit>;
  owner_id: number | null;
  created_at: Timestamp;
}
export type OauthApplication = Selectable<OauthApplicationsTable>;

export interface OauthTokensTable {
  id: Id;
  user_id: number;
  application_id: number | null;
  digest: string;
  refresh_digest: string | null;
  scopes: Json<string[]>;
  expires_in: number | null;
  created_at: Timestamp;
  revoked_at: Timestamp | null;
}
export type OauthToken = Selectable<OauthTokensTable>;

export interface DeployTokensTable {
  id: Id;
  name: string;
  username: string;
  digest: string;
  scopes: Json<string[]>;
  revoked: Defaulted<Bit>;
  expires_at: Timestamp | null;
  created_at: Timestamp;
  creator_id: number | null;
  source_type: 'project' | 'group';
  source_id: number;
}
export type DeployToken = Selectable<DeployTokensTable>;

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

export interface DeployKeyProjectsTable {
  deploy_key_id: number;
  project_id: number;
  can_push: Defaulted<Bit>;
  created_at: Timestamp;
}
