import type { Selectable } from 'kysely';
import type { Bit, Defaulted, Id, Json, Timestamp } from '../columns.ts';
import type { Ownership } from '../ownership.ts';

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

export const deployTokensOwnership: Ownership<DeployTokensTable> = {
  belongsTo: [{ type: 'source_type', id: 'source_id', goesWith: ['project', 'group'] }],
};
