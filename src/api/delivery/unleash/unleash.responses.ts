import { Type } from 'typebox';
import { Enum, IntegerEnum } from '../../../http/http.schema.ts';

/** A strategy in Unleash format. */
export const UnleashStrategy = Type.Object({
  name: Enum(['default', 'gradualRolloutUserId', 'userWithId', 'flexibleRollout'], {
    description: 'Name of the strategy. User lists are sent as `userWithId`.',
  }),
  parameters: Type.Record(Type.String(), Type.String(), {
    description: 'Parameters of the strategy.',
    examples: [{ userIds: 'ada,bo' }],
  }),
});

/** A flag in Unleash format. */
export const UnleashFeature = Type.Object({
  name: Type.String({ examples: ['new_cart'] }),
  description: Type.Optional(Type.String({ description: 'Absent when there is none.', examples: ['The new cart'] })),
  enabled: Type.Boolean({ description: 'Whether the flag is active.' }),
  strategies: Type.Array(UnleashStrategy, {
    description: 'Strategies. The flag is on for a user if at least one applies.',
  }),
});

/** Flags of an environment in Unleash format. */
export const UnleashFeatures = Type.Object({
  version: IntegerEnum([1], { description: 'Version of the response format.' }),
  features: Type.Array(UnleashFeature, { description: 'Feature flags, oldest first.' }),
});
