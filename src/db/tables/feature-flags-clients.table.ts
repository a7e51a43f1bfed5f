import type { Selectable } from 'kysely';
import type { Defaulted, Id, Timestamp } from '../columns.ts';

/** What programs that ask for the feature flags of a project have in common. */
export interface FeatureFlagsClientsTable {
  id: Id;
  project_id: number;
  /** The instance id by which they are known. */
  token: string;
  /** One higher with each change of the project's flags and user lists; whoever changes them changes this first. */
  version: Defaulted<number>;
  created_at: Timestamp;
}
export type FeatureFlagsClient = Selectable<FeatureFlagsClientsTable>;
