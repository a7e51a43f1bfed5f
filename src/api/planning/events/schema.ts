import { type Static, Type } from 'typebox';
import type { Event, EventAction } from '../../../db/tables/events.ts';
import { Day, Enum, Instant, Nullable, pagination } from '../../../http/schema.ts';
import { UserBasic } from '../../identity/index.ts';
import { Note } from '../notes/entity.ts';

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

/** What entries of a `target_type` are about; null where nothing here makes such entries. */
export const TARGET_TYPES = {
  epic: null,
  issue: 'Issue',
  merge_request: 'MergeRequest',
  milestone: 'Milestone',
  note: 'Note',
  project: 'Project',
  snippet: 'Snippet',
  user: null,
  wiki: null,
  design: null,
} as const satisfies Record<string, Event['target_type']>;

/** Parameters of every list of events (part 1, section 4.11). */
export const eventFilters = {
  action: Type.Optional(Enum(ACTIONS)),
  target_type: Type.Optional(Enum(Object.keys(TARGET_TYPES) as (keyof typeof TARGET_TYPES)[])),
  before: Type.Optional(Day({ description: 'Only what happened before this day.' })),
  after: Type.Optional(Day({ description: 'Only what happened after this day.' })),
  sort: Type.Optional(Enum(['asc', 'desc'], { description: 'By time; `desc` unless given.' })),
  ...pagination,
};
const EventFilters = Type.Object(eventFilters);
export type EventFilters = Static<typeof EventFilters>;

const PushData = Type.Object({
  commit_count: Type.Integer(),
  action: Enum(['created', 'removed', 'pushed']),
  ref_type: Enum(['branch', 'tag']),
  commit_from: Nullable(Type.String()),
  commit_to: Nullable(Type.String()),
  ref: Nullable(Type.String()),
  commit_title: Nullable(Type.String({ description: 'At most 70 characters.' })),
  ref_count: Nullable(Type.Integer({ description: 'Of many refs in one push: how many.' })),
});

/** Event (part 1, section 2). */
export const EventEntity = Type.Object({
  id: Type.Integer(),
  title: Type.Null(),
  project_id: Type.Integer(),
  action_name: Type.String({ description: '`opened`, `closed`, `accepted`, `pushed to`, `commented on`, ...' }),
  target_id: Nullable(Type.Integer()),
  target_iid: Nullable(Type.Integer()),
  target_type: Nullable(Type.String()),
  target_title: Nullable(Type.String()),
  author_id: Type.Integer(),
  author: UserBasic,
  author_username: Type.String(),
  created_at: Instant(),
  imported: Type.Boolean(),
  imported_from: Type.String(),
  push_data: Type.Optional(PushData),
  note: Type.Optional(Note),
  data: Type.Null(),
});
export type EventJson = Static<typeof EventEntity>;
