import { Type } from 'typebox';
import { Filled, optional } from '../../../http/http.schema.ts';

export const startInput = optional({
  batched: Type.Boolean({
    default: false,
    description: 'Whether lists come in files of 1,000 objects instead of one file each.',
  }),
});

export const statusInput = optional({
  relation: Filled({ maxLength: 255, description: 'Only that of this relation, which is then no list.' }),
});

export const downloadInput = Type.Object({
  relation: Filled({ maxLength: 255, description: 'Which relation.' }),
  batched: Type.Optional(
    Type.Boolean({ default: false, description: 'Whether a batch is wanted; needed where they are in batches.' }),
  ),
  batch_number: Type.Optional(Type.Integer({ minimum: 1, description: 'Number of the batch, from 1.' })),
});
