import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';

/** Names used by feature flags and user lists. */
export const featureFlagWords: Vocabulary['entries'] = {
  feature_flag_name: ['Name of the feature flag.', 'new_cart'],
  strategies: ['Strategies. The flag is on for a user if at least one applies.'],
  user_list: ['User list of the strategy; null for none.'],
  user_xids: ['Comma-separated external user ids.', 'ada,bo'],
};
