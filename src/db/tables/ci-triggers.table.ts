import type { Selectable } from 'kysely';
import type { Id, Timestamp } from '../columns.ts';

/** Trigger tokens for starting pipelines. */
export interface CiTriggersTable {
  id: Id;
  project_id: number;
  /** The user on whose behalf its pipelines run. */
  owner_id: number;
  description: string;
  token: string;
  digest: string;
  last_used_at: Timestamp | null;
  expires_at: Timestamp | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type CiTrigger = Selectable<CiTriggersTable>;
