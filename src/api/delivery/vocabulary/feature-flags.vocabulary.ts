import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';

/** Words of feature flags and their user lists. */
export const featureFlagWords: Vocabulary['entries'] = {
  feature_flag_name: ['Name of the feature flag.', 'new_cart'],
  strategies: ['For whom it is on: each user for whom one of them is.'],
  user_list: ['The users that the strategy names; null where it has no list.'],
  user_xids: ['Ids of users, as the program that asks for flags knows them, with commas between them.', 'ada,bo'],
};
