import { Type } from 'typebox';
import { Instant, IntegerEnum, Nullable } from '../../../http/http.schema.ts';

const status = IntegerEnum([-2, -1, 0, 1], {
  description: 'How far it is: -2 waits, 0 is under way, 1 has finished, -1 has failed.',
});
const error = Nullable(Type.String({ description: 'Why it has failed.' }));

/** A file of an export that comes in batches. */
export const RelationExportBatch = Type.Object({
  status,
  batch_number: Type.Integer({ minimum: 1 }),
  objects_count: Type.Integer({ minimum: 0 }),
  error,
  updated_at: Instant(),
});

/** How far the export of a relation is (part 2, "Relation export status entry"). */
export const RelationExportStatus = Type.Object({
  relation: Type.String(),
  status,
  error,
  updated_at: Instant(),
  batched: Type.Boolean(),
  batches_count: Type.Integer({ minimum: 0 }),
  total_objects_count: Type.Integer({ minimum: 0 }),
  batches: Type.Optional(Type.Array(RelationExportBatch)),
});
