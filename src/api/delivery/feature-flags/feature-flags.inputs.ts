import { Type } from 'typebox';
import { Enum, Nullable, optional, pagination } from '../../../http/http.schema.ts';

const environmentScope = Type.String({
  description: 'Name of an environment, in which `*` stands for any text.',
  examples: ['review/*'],
});
const strategyFields = {
  parameters: Type.Optional(
    Type.Unsafe<unknown>({
      description: 'What the strategy is told, as an object or its JSON; none when absent.',
      examples: [{ groupId: 'default', rollout: '50', stickiness: 'default' }],
    }),
  ),
  user_list_id: Type.Optional(
    Type.Unsafe<number | string | null>({
      anyOf: [{ type: 'integer' }, { type: 'string' }, { type: 'null' }],
      description: 'Id of the user list; for `svcUserList`, and for no other.',
      examples: [1],
    }),
  ),
};
const strategyName = Type.String({
  description: '`default`, `gradualRolloutUserId`, `userWithId`, `svcUserList` or `flexibleRollout`.',
  examples: ['default'],
});
const scopeList = { maxItems: 100, description: 'Environments in which the strategy counts.' };
const strategyList = { maxItems: 50, description: 'For whom the flag is on: each user for whom one of them is.' };
const destroy = (what: string) => Type.Optional(Type.Boolean({ description: `Removes the ${what}.` }));

const description = Nullable(Type.String({ description: 'At most 255 characters.', examples: ['The new cart'] }));
const active = Type.Boolean({ description: 'Whether it is on for anybody.' });
const name = (text: string) => Type.String({ description: text, examples: ['new_cart'] });
const NAME = 'Name: lower case letters, digits, `_` and `-`, 2 to 63 of them.';

export const FlagName = Type.Object({ feature_flag_name: Type.String() });

export const listFlags = Type.Object({
  scope: Type.Optional(Enum(['enabled', 'disabled'], { description: 'Only those that are active, or are not.' })),
  ...pagination,
});

/** A strategy of a new flag. */
const NewStrategy = Type.Object({
  name: strategyName,
  ...strategyFields,
  scopes: Type.Optional(
    Type.Array(Type.Object({ environment_scope: environmentScope }), {
      ...scopeList,
      description: `${scopeList.description} All when absent.`,
    }),
  ),
});

export const newFlag = Type.Object({
  name: name(NAME),
  version: Type.Optional(
    Type.String({ description: 'Deprecated: always `new_version_flag`.', examples: ['new_version_flag'] }),
  ),
  description: Type.Optional(description),
  active: Type.Optional(Type.Boolean({ default: true, description: 'Whether it is on for anybody.' })),
  strategies: Type.Optional(Type.Array(NewStrategy, strategyList)),
});

/** A strategy as a change of a flag names it: one that is there by its id, or a new one. */
const ChangedStrategy = optional({
  id: Type.Integer({ description: 'Id of a strategy of the flag; a new one when absent.' }),
  name: strategyName,
  ...strategyFields,
  _destroy: destroy('strategy'),
  scopes: Type.Array(
    optional({
      id: Type.Integer({ description: 'Id of a scope of the strategy; a new one when absent.' }),
      environment_scope: environmentScope,
      _destroy: destroy('scope'),
    }),
    { ...scopeList, description: 'Those to add, change or remove. The others stay.' },
  ),
});

export const changedFlag = optional({
  name: name(`New name: lower case letters, digits, \`_\` and \`-\`, 2 to 63 of them.`),
  description,
  active,
  strategies: Type.Array(ChangedStrategy, {
    maxItems: strategyList.maxItems,
    description: 'Those to add, change or remove. The others stay.',
  }),
});
