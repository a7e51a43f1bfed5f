import { Type } from 'typebox';
import { Instant, IntegerEnum, Nullable } from '../../../http/http.schema.ts';

const status = IntegerEnum([-2, -1, 0, 1], {
  description: 'Status: -2 pending, 0 started, 1 finished, -1 failed.',
});
const error = Nullable(Type.String({ description: 'Reason for the failure.' }));

/** A file of a batched export. */
export const RelationExportBatch = Type.Object({
  status,
  batch_number: Type.Integer({ minimum: 1 }),
  objects_count: Type.Integer({ minimum: 0 }),
  error,
  updated_at: Instant(),
});

/** Status of the export of a relation (part 2, "Relation export status entry"). */
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
