import { type Static, Type } from 'typebox';
import { BROADCAST_THEMES, BROADCAST_TYPES } from '../../../db/tables/broadcast-messages.table.ts';
import { Enum, Instant, Nullable } from '../../../http/http.schema.ts';

/** A broadcast message (part 2, section 2). */
export const BroadcastMessage = Type.Object({
  id: Type.Integer(),
  message: Type.String(),
  starts_at: Instant(),
  ends_at: Instant(),
  font: Type.String(),
  active: Type.Boolean(),
  target_access_levels: Type.Array(Type.Integer()),
  target_path: Nullable(Type.String()),
  broadcast_type: Enum(BROADCAST_TYPES),
  theme: Enum(BROADCAST_THEMES),
  dismissable: Type.Boolean(),
});
export type BroadcastMessage = Static<typeof BroadcastMessage>;
