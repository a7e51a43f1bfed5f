import { type Static, Type } from 'typebox';
import { Day, Enum, Instant, Nullable } from '../../../http/http.schema.ts';

/** Milestone of a project (`project_id`) or a group (`group_id`); part 1, section 2 leaves it to the platform. */
export const Milestone = Type.Object({
  id: Type.Integer(),
  iid: Type.Integer(),
  project_id: Type.Optional(Type.Integer()),
  group_id: Type.Optional(Type.Integer()),
  title: Type.String(),
  description: Type.String(),
  state: Enum(['active', 'closed']),
  created_at: Instant(),
  updated_at: Instant(),
  due_date: Nullable(Day()),
  start_date: Nullable(Day()),
  expired: Type.Boolean({ description: 'Whether the due date has passed.' }),
  web_url: Type.String(),
});
export type Milestone = Static<typeof Milestone>;
