import type { Selectable } from 'kysely';
import type { Bit, Defaulted, Id, Json, Timestamp } from '../columns.ts';

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
