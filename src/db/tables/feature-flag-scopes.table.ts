import type { Selectable } from 'kysely';
import type { Id } from '../columns.ts';

/** Environments in which a strategy of a feature flag applies. */
export interface FeatureFlagScopesTable {
  id: Id;
  strategy_id: number;
  /** A name in which `*` matches any text; unique in a strategy. */
  environment_scope: string;
}
export type FeatureFlagScope = Selectable<FeatureFlagScopesTable>;
