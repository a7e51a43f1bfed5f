import type { Selectable } from 'kysely';
import type { Bit, Defaulted, Id, Timestamp } from '../columns.ts';

/** Feature flags of projects. */
export interface FeatureFlagsTable {
  id: Id;
  project_id: number;
  /** Unique in the project. */
  name: string;
  description: string | null;
  active: Defaulted<Bit>;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type FeatureFlag = Selectable<FeatureFlagsTable>;
