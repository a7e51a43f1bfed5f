import { Type } from 'typebox';
import { Filled, optional } from '../../../http/http.schema.ts';

export const startInput = optional({
  batched: Type.Boolean({
    default: false,
    description: 'Whether to split lists into files of 1,000 objects instead of one file each.',
  }),
});

export const statusInput = optional({
  relation: Filled({
    maxLength: 255,
    description: 'Only the status of this relation, as an object instead of a list.',
  }),
});

export const downloadInput = Type.Object({
  relation: Filled({ maxLength: 255, description: 'Relation to download.' }),
  batched: Type.Optional(
    Type.Boolean({ default: false, description: 'Whether to download a batch; required for batched exports.' }),
  ),
  batch_number: Type.Optional(Type.Integer({ minimum: 1, description: 'Number of the batch, from 1.' })),
});
