import { Type } from 'typebox';
import { Enum, Nullable } from '../../../http/http.schema.ts';
import { PROTECTED_TYPES } from '../package-kinds.ts';

const PUSH_LEVELS = ['maintainer', 'owner', 'admin'] as const;
const DELETE_LEVELS = ['owner', 'admin'] as const;

/** Attributes of a rule. */
export const attributes = {
  package_name_pattern: Type.String({
    description: 'Package name pattern, case-insensitive; `*` stands for any text.',
    examples: ['@flight/*'],
  }),
  package_type: Enum(PROTECTED_TYPES, { description: 'Type of the packages.' }),
  minimum_access_level_for_delete: Nullable(
    Enum(DELETE_LEVELS, { description: 'Minimum role for deleting packages; null for the default.' }),
  ),
  minimum_access_level_for_push: Nullable(
    Enum(PUSH_LEVELS, { description: 'Minimum role for publishing packages; null for the default.' }),
  ),
};
const { package_name_pattern, package_type, ...levels } = attributes;

/** Parameters of a new rule. */
export const newRule = Type.Object({
  package_name_pattern,
  package_type,
  ...Type.Partial(Type.Object(levels)).properties,
});

/** Parameters of a change. */
export const changedRule = Type.Partial(Type.Object(attributes));

/** Path parameter of a rule. */
export const RuleId = Type.Object({
  package_protection_rule_id: Type.Integer({ description: 'Id of the rule.', examples: [3] }),
});
