import { Type } from 'typebox';
import { Nullable } from '../../../http/http.schema.ts';
import { Label } from '../labels/labels.responses.ts';

/** References to an issue or merge request: `#1`, relative to the listed project or group, and absolute. */
export const References = Type.Object({ short: Type.String(), relative: Type.String(), full: Type.String() });

/** Times in seconds and as text. */
export const TimeStats = Type.Object({
  time_estimate: Type.Integer(),
  total_time_spent: Type.Integer(),
  human_time_estimate: Nullable(Type.String()),
  human_total_time_spent: Nullable(Type.String()),
});

export const TaskCompletionStatus = Type.Object({ count: Type.Integer(), completed_count: Type.Integer() });

/** Names, or with `with_labels_details` the labels themselves. */
export const LabelList = Type.Union([Type.Array(Type.String()), Type.Array(Label)]);
