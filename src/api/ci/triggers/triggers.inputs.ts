import { Type } from 'typebox';
import { Filled, Instant, Nullable, optional, pagination, Secret } from '../../../http/http.schema.ts';

const description = Type.String({ maxLength: 255, description: 'What it is for.', examples: ['Deploy bot'] });

export const TriggerId = { trigger_id: Type.Integer() };
export const listTriggers = Type.Object(pagination);
export const newTrigger = Type.Object({
  description,
  expires_at: Type.Optional(Nullable(Instant({ description: 'End of its life; without one it does not expire.' }))),
});
export const changedTrigger = optional({ description });

const start = {
  token: Secret({ description: 'A trigger token of the project, or the token of a job that runs.' }),
  variables: Type.Optional(
    Type.Unsafe<unknown>({
      description: 'Variables of the pipeline, as texts by their keys.',
      examples: [{ WHERE: 'staging' }],
    }),
  ),
  inputs: Type.Optional(
    Type.Record(Type.String(), Type.Unsafe<unknown>({}), {
      description: 'Inputs of the pipeline, at most 20.',
      examples: [{ where: 'staging' }],
    }),
  ),
};

export const RefParam = Type.Object({ ref: Type.String({ description: 'Branch or tag, URL-encoded.' }) });
export const startAtRef = Type.Object(start);
export const startPipeline = Type.Object({ ref: Filled({ description: 'Branch or tag.' }), ...start });
