import { type Static, Type } from 'typebox';
import { AccessLevel } from '../../../core/access-levels.ts';
import { BROADCAST_THEMES, BROADCAST_TYPES } from '../../../db/tables/broadcast-messages.table.ts';
import { Enum, Instant, IntegerEnum, List, Nullable, optional } from '../../../http/http.schema.ts';

const { guest, planner, reporter, developer, maintainer, owner } = AccessLevel;
const LEVELS = [guest, planner, reporter, developer, maintainer, owner] as const;

const message = Type.String({ maxLength: 10_000 });
const attributes = {
  starts_at: Nullable(Instant({ description: 'Time from which the message is shown; defaults to now.' })),
  ends_at: Nullable(Instant({ description: 'Time until which the message is shown; defaults to one hour from now.' })),
  font: Type.String({ maxLength: 7, description: 'Text colour, as `#FFFFFF` or `#FFF`.' }),
  target_access_levels: List(IntegerEnum(LEVELS), { maxItems: 20 }),
  target_path: Nullable(Type.String({ maxLength: 255 })),
  broadcast_type: Enum(BROADCAST_TYPES),
  dismissable: Type.Boolean(),
  theme: Enum(BROADCAST_THEMES),
};

export const NewBroadcastMessage = Type.Object({ message, ...optional(attributes).properties });
export const ChangedBroadcastMessage = optional({ message, ...attributes });
export type ChangedBroadcastMessage = Static<typeof ChangedBroadcastMessage>;
