import { Type } from 'typebox';
import { Enum, ofPlan, optional, pagination, Secret } from '../../../http/http.schema.ts';
import type { SourceKind } from '../../spaces/index.ts';

export const VARIABLE_TYPES = ['env_var', 'file'] as const;

const description = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  description: 'Description; at most 255 characters.',
});

const flags = {
  protected: Type.Boolean({ description: 'Whether only jobs of protected branches and tags get the variable.' }),
  masked: Type.Boolean({
    description:
      'Whether the value is masked in logs. It must then be a single line of at least 8 characters without spaces.',
  }),
  raw: Type.Boolean({ description: 'Whether variable references in the value are left unexpanded.' }),
  variable_type: Enum(VARIABLE_TYPES, {
    description: 'With `file`, the variable holds the path of a file with the value.',
  }),
};
const hidden = Type.Boolean({
  description: 'Whether the value is masked in logs and never shown again. Only on creation.',
});
const SCOPE = 'Environments whose jobs get the variable: a name, a pattern with `*`, or `*` for all jobs.';

export const listVariables = Type.Object(pagination);

export const keyParam = Type.Object({ key: Type.String({ description: 'Key of the variable.' }) });

const key = Type.String({ description: 'Letters, digits and `_`; at most 255 characters.' });
const value = Secret({ description: 'Value of the variable.' });

export const newInstanceVariable = Type.Object({ key, value, ...optional({ ...flags, description }).properties });
export const changedInstanceVariable = optional({ value, ...flags, description });

/** For groups, environment scopes take a plan. */
const scoped = (kind: SourceKind) => ({
  environment_scope: Type.String({ description: SCOPE, ...(kind === 'group' ? ofPlan('premium') : {}) }),
});

export const newVariable = (kind: SourceKind) =>
  Type.Object({
    key,
    value,
    ...optional({ ...flags, masked_and_hidden: hidden, ...scoped(kind), description }).properties,
  });

/** Selects one of several variables with the same key. */
const filter = Type.Object(
  {
    environment_scope: Type.Optional(
      Type.String({ description: 'Only the variable with exactly this environment scope.' }),
    ),
  },
  { description: 'Selects one of several variables with the same key.' },
);

export const variableFilter = optional({ filter });
export const changedVariable = (kind: SourceKind) =>
  optional({ value, ...flags, masked_and_hidden: hidden, ...scoped(kind), description, filter });
