import type { Selectable } from 'kysely';
import type { Bit, Day, Defaulted, Id, Json, Timestamp } from '../columns.ts';
import type { Ownership } from '../ownership.ts';

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
  /** The first token of a chain of rotations; null for the first one itself. */
  family_id: number | null;
}
export type AccessToken = Selectable<AccessTokensTable>;

export const accessTokensOwnership: Ownership<AccessTokensTable> = {
  belongsTo: [{ type: 'resource_type', id: 'resource_id', goesWith: ['project', 'group'], instead: { revoked: 1 } }],
};
