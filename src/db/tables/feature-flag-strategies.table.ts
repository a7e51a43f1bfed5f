import type { Selectable } from 'kysely';
import type { DefaultedJson, Id } from '../columns.ts';

/** Names of strategies. */
export const STRATEGY_NAMES = [
  'default',
  'gradualRolloutUserId',
  'userWithId',
  'svcUserList',
  'flexibleRollout',
] as const;
export type StrategyName = (typeof STRATEGY_NAMES)[number];

export interface FeatureFlagStrategiesTable {
  id: Id;
  feature_flag_id: number;
  name: StrategyName;
  parameters: DefaultedJson<Record<string, string>>;
  /** A list of the same project; only set for `svcUserList`. */
  user_list_id: number | null;
}
export type FeatureFlagStrategy = Selectable<FeatureFlagStrategiesTable>;
