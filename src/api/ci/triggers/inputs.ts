import { Type } from 'typebox';
import { Instant, Nullable, optional, pagination } from '../../../http/schema.ts';

const description = Type.String({ maxLength: 255, description: 'What it is for.', examples: ['Deploy bot'] });

export const TriggerId = { trigger_id: Type.Integer() };
export const listTriggers = Type.Object(pagination);
export const newTrigger = Type.Object({
  description,
  expires_at: Type.Optional(Nullable(Instant({ description: 'End of its life; without one it does not expire.' }))),
});
export const changedTrigger = optional({ description });
