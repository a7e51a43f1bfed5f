import { Type } from 'typebox';
import { STRATEGY_NAMES } from '../../../db/tables/feature-flag-strategies.table.ts';
import { Dialectal } from '../../../http/dialect.ts';
import { Enum, Instant, Nullable } from '../../../http/http.schema.ts';

/** Environments in which a strategy applies. */
export const FlagScope = Type.Object({
  id: Type.Integer(),
  environment_scope: Type.String({ examples: ['review/*'] }),
});

/** A user list nested in a strategy. */
export const StrategyUserList = Type.Object({
  id: Type.Integer(),
  iid: Type.Integer({ description: 'Number of the list within its project.' }),
  name: Type.String(),
  user_xids: Type.String(),
});

/** A strategy of a flag. */
export const FlagStrategy = Type.Object({
  id: Type.Integer(),
  name: Dialectal<string>('strategy_name', Enum(STRATEGY_NAMES)),
  parameters: Type.Record(Type.String(), Type.String(), {
    description: 'Parameters of the strategy.',
    examples: [{ groupId: 'default', rollout: '50', stickiness: 'default' }],
  }),
  scopes: Type.Array(FlagScope, { description: 'Environments in which the strategy applies.' }),
  user_list: Nullable(StrategyUserList),
});

/** A feature flag (part 1, section 2). */
export const FeatureFlag = Type.Object({
  name: Type.String({ examples: ['new_cart'] }),
  description: Nullable(Type.String()),
  active: Type.Boolean({ description: 'Whether the flag is active.' }),
  version: Enum(['new_version_flag']),
  created_at: Instant(),
  updated_at: Instant(),
  scopes: Type.Array(FlagScope, { description: 'Always empty: scopes belong to strategies.' }),
  strategies: Type.Array(FlagStrategy),
});
