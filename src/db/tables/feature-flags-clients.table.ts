import type { Selectable } from 'kysely';
import type { Defaulted, Id, Timestamp } from '../columns.ts';

/** Shared state of the feature flags clients of a project. */
export interface FeatureFlagsClientsTable {
  id: Id;
  project_id: number;
  /** Their instance id. */
  token: string;
  /** Incremented with each change of the project's flags and user lists; the first row that each change updates. */
  version: Defaulted<number>;
  created_at: Timestamp;
}
export type FeatureFlagsClient = Selectable<FeatureFlagsClientsTable>;
