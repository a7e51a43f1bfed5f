import type { Selectable } from 'kysely';
import type { Id } from '../columns.ts';

/** Environments in which a strategy of a feature flag counts. */
export interface FeatureFlagScopesTable {
  id: Id;
  strategy_id: number;
  /** A name in which `*` stands for any text; each once in a strategy. */
  environment_scope: string;
}
export type FeatureFlagScope = Selectable<FeatureFlagScopesTable>;
