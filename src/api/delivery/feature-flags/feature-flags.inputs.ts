import { Type } from 'typebox';
import { Enum, Nullable, optional, pagination } from '../../../http/http.schema.ts';

const environmentScope = Type.String({
  description: 'Name of an environment; `*` stands for any text.',
  examples: ['review/*'],
});
const strategyFields = {
  parameters: Type.Optional(
    Type.Unsafe<unknown>({
      description: 'Parameters of the strategy, as an object or as JSON text; empty when absent.',
      examples: [{ groupId: 'default', rollout: '50', stickiness: 'default' }],
    }),
  ),
  user_list_id: Type.Optional(
    Type.Unsafe<number | string | null>({
      anyOf: [{ type: 'integer' }, { type: 'string' }, { type: 'null' }],
      description: 'Id of the user list; required for `svcUserList`, not allowed for other strategies.',
      examples: [1],
    }),
  ),
};
const strategyName = Type.String({
  description: '`default`, `gradualRolloutUserId`, `userWithId`, `svcUserList` or `flexibleRollout`.',
  examples: ['default'],
});
const scopeList = { maxItems: 100, description: 'Environments in which the strategy applies.' };
const strategyList = { maxItems: 50, description: 'Strategies. The flag is on for a user if at least one applies.' };
const destroy = (what: string) => Type.Optional(Type.Boolean({ description: `Whether to remove the ${what}.` }));

const description = Nullable(
  Type.String({ description: 'Description; at most 255 characters.', examples: ['The new cart'] }),
);
const active = Type.Boolean({ description: 'Whether the flag is active.' });
const name = (text: string) => Type.String({ description: text, examples: ['new_cart'] });
const NAME = 'Name of 2 to 63 characters: lowercase letters, digits, `_` and `-`.';

export const FlagName = Type.Object({ feature_flag_name: Type.String() });

export const listFlags = Type.Object({
  scope: Type.Optional(Enum(['enabled', 'disabled'], { description: 'Only enabled or only disabled flags.' })),
  ...pagination,
});

/** A strategy of a new flag. */
const NewStrategy = Type.Object({
  name: strategyName,
  ...strategyFields,
  scopes: Type.Optional(
    Type.Array(Type.Object({ environment_scope: environmentScope }), {
      ...scopeList,
      description: `${scopeList.description} All environments when absent.`,
    }),
  ),
});

export const newFlag = Type.Object({
  name: name(NAME),
  version: Type.Optional(
    Type.String({ description: 'Deprecated: always `new_version_flag`.', examples: ['new_version_flag'] }),
  ),
  description: Type.Optional(description),
  active: Type.Optional(Type.Boolean({ default: true, description: 'Whether the flag is active.' })),
  strategies: Type.Optional(Type.Array(NewStrategy, strategyList)),
});

/** A strategy in an update: an existing one by its id, or a new one. */
const ChangedStrategy = optional({
  id: Type.Integer({ description: 'Id of a strategy of the flag; a new strategy when absent.' }),
  name: strategyName,
  ...strategyFields,
  _destroy: destroy('strategy'),
  scopes: Type.Array(
    optional({
      id: Type.Integer({ description: 'Id of a scope of the strategy; a new scope when absent.' }),
      environment_scope: environmentScope,
      _destroy: destroy('scope'),
    }),
    { ...scopeList, description: 'Scopes to add, change or remove. Others are kept.' },
  ),
});

export const changedFlag = optional({
  name: name(`New name of 2 to 63 characters: lowercase letters, digits, \`_\` and \`-\`.`),
  description,
  active,
  strategies: Type.Array(ChangedStrategy, {
    maxItems: strategyList.maxItems,
    description: 'Strategies to add, change or remove. Others are kept.',
  }),
});
