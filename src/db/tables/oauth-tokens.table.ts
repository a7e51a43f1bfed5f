import type { Selectable } from 'kysely';
import type { Id, Json, Timestamp } from '../columns.ts';

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
