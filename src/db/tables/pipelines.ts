import type { Selectable } from 'kysely';
import type { Bit, Defaulted, Id, Timestamp } from '../columns.ts';
import type { Ownership } from '../ownership.ts';

export interface PipelinesTable {
  id: Id;
  iid: number;
  project_id: number;
  sha: string;
  ref: string;
  tag: Defaulted<Bit>;
  source: string;
  status: string;
  user_id: number | null;
  created_at: Timestamp;
  updated_at: Timestamp;
  started_at: Timestamp | null;
  finished_at: Timestamp | null;
}
export type Pipeline = Selectable<PipelinesTable>;

export const pipelinesOwnership: Ownership<PipelinesTable> = { outlives: { user_id: 'ghost' } };
