import { Type } from 'typebox';
import { Enum, ofPlan, optional, pagination, Secret } from '../../../http/http.schema.ts';
import type { SourceKind } from '../../spaces/index.ts';

export const VARIABLE_TYPES = ['env_var', 'file'] as const;

const description = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  description: 'What it is for; at most 255 characters.',
});

const flags = {
  protected: Type.Boolean({ description: 'Whether only jobs of protected branches and tags have it.' }),
  masked: Type.Boolean({
    description: 'Whether logs hide the value. It must then be of one line, 8 characters or more, without blanks.',
  }),
  raw: Type.Boolean({ description: 'Whether references to other variables in the value stay as they are.' }),
  variable_type: Enum(VARIABLE_TYPES, { description: 'Of `file` a job has the path of a file with the value.' }),
};
const hidden = Type.Boolean({
  description: 'Whether logs hide the value, and no answer ever shows it again. Only at its making.',
});
const SCOPE = 'Environments whose jobs have it: a name, a pattern with `*`, or `*` for all jobs.';

export const listVariables = Type.Object(pagination);

export const keyParam = Type.Object({ key: Type.String({ description: 'Key of the variable.' }) });

const key = Type.String({ description: 'Letters, digits and `_`, at most 255.' });
const value = Secret({ description: 'Its value.' });

export const newInstanceVariable = Type.Object({ key, value, ...optional({ ...flags, description }).properties });
export const changedInstanceVariable = optional({ value, ...flags, description });

/** Of groups only a plan has variables for some of the environments. */
const scoped = (kind: SourceKind) => ({
  environment_scope: Type.String({ description: SCOPE, ...(kind === 'group' ? ofPlan('premium') : {}) }),
});

export const newVariable = (kind: SourceKind) =>
  Type.Object({
    key,
    value,
    ...optional({ ...flags, masked_and_hidden: hidden, ...scoped(kind), description }).properties,
  });

/** Which of several of one key is meant. */
const filter = Type.Object(
  { environment_scope: Type.Optional(Type.String({ description: 'The one of exactly these environments.' })) },
  { description: 'Which of several of the same key is meant.' },
);

export const whichVariable = optional({ filter });
export const changedVariable = (kind: SourceKind) =>
  optional({ value, ...flags, masked_and_hidden: hidden, ...scoped(kind), description, filter });
