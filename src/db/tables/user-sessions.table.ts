import type { Selectable } from 'kysely';
import type { Id, Timestamp } from '../columns.ts';

/** Sessions of web browsers. */
export interface UserSessionsTable {
  id: Id;
  user_id: number;
  /** Digest of the secret in the cookie. */
  digest: string;
  /** Its token for the API, which only this server knows. */
  oauth_token_id: number;
  /** The token that was given to sign in; null for a password. */
  access_token_id: number | null;
  /** Digest of the password's hash: a session ends when the password changes. */
  password_digest: string | null;
  created_at: Timestamp;
  last_used_at: Timestamp;
  ip: string;
  user_agent: string;
}
export type UserSession = Selectable<UserSessionsTable>;
