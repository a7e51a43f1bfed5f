import { Type } from 'typebox';
import { Enum, IntegerEnum } from '../../../http/http.schema.ts';

/** For whom a flag is on, as Unleash clients read it. */
export const UnleashStrategy = Type.Object({
  name: Enum(['default', 'gradualRolloutUserId', 'userWithId', 'flexibleRollout'], {
    description: 'How the client decides. A user list is sent as `userWithId`.',
  }),
  parameters: Type.Record(Type.String(), Type.String(), {
    description: 'What the strategy is told.',
    examples: [{ userIds: 'ada,bo' }],
  }),
});

/** A flag as Unleash clients read it. */
export const UnleashFeature = Type.Object({
  name: Type.String({ examples: ['new_cart'] }),
  description: Type.Optional(Type.String({ description: 'Absent when there is none.', examples: ['The new cart'] })),
  enabled: Type.Boolean({ description: 'Whether it is on for anybody.' }),
  strategies: Type.Array(UnleashStrategy, { description: 'It is on for each user for whom one of them is.' }),
});

/** What Unleash clients are told of an environment. */
export const UnleashFeatures = Type.Object({
  version: IntegerEnum([1], { description: 'Of the format.' }),
  features: Type.Array(UnleashFeature, { description: 'The flags, the oldest first.' }),
});
