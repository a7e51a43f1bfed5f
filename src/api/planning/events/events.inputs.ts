import { type Static, Type } from 'typebox';
import type { EventAction } from '../../../db/tables/events.table.ts';
import { Day, Enum, pagination } from '../../../http/http.schema.ts';
import { type EventEntity, TARGET_TYPES } from './events.responses.ts';

const ACTIONS = [
  'approved',
  'closed',
  'commented',
  'created',
  'destroyed',
  'expired',
  'joined',
  'left',
  'merged',
  'pushed',
  'reopened',
  'updated',
] as const satisfies readonly EventAction[];

/** Parameters of every list of events (part 1, section 4.11). */
export const eventFilters = {
  action: Type.Optional(Enum(ACTIONS)),
  target_type: Type.Optional(Enum(Object.keys(TARGET_TYPES) as (keyof typeof TARGET_TYPES)[])),
  before: Type.Optional(Day({ description: 'Only events before this date.' })),
  after: Type.Optional(Day({ description: 'Only events after this date.' })),
  sort: Type.Optional(Enum(['asc', 'desc'], { description: 'Order by time; defaults to `desc`.' })),
  ...pagination,
};

const EventFilters = Type.Object(eventFilters);
export type EventFilters = Static<typeof EventFilters>;

export type EventJson = Static<typeof EventEntity>;
