import { Type } from 'typebox';
import { Filled, Instant, Nullable, optional, pagination, Secret } from '../../../http/http.schema.ts';

const description = Type.String({ maxLength: 255, description: 'Description of the token.', examples: ['Deploy bot'] });

export const TriggerId = { trigger_id: Type.Integer() };
export const listTriggers = Type.Object(pagination);
export const newTrigger = Type.Object({
  description,
  expires_at: Type.Optional(Nullable(Instant({ description: 'When the token expires; never when absent.' }))),
});
export const changedTrigger = optional({ description });

const start = {
  token: Secret({ description: 'A trigger token of the project, or the token of a running job.' }),
  variables: Type.Optional(
    Type.Unsafe<unknown>({
      description: 'Variables of the pipeline, as strings by key.',
      examples: [{ WHERE: 'staging' }],
    }),
  ),
  inputs: Type.Optional(
    Type.Record(Type.String(), Type.Unsafe<unknown>({}), {
      description: 'Inputs of the pipeline; at most 20.',
      examples: [{ where: 'staging' }],
    }),
  ),
};

export const RefParam = Type.Object({ ref: Type.String({ description: 'Branch or tag, URL-encoded.' }) });
export const startAtRef = Type.Object(start);
export const startPipeline = Type.Object({ ref: Filled({ description: 'Branch or tag.' }), ...start });
