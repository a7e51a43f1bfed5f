import { Type } from 'typebox';
import type { Event } from '../../../db/tables/events.table.ts';
import { Enum, Instant, Nullable } from '../../../http/http.schema.ts';
import { WikiPageBasic } from '../../code/index.ts';
import { UserBasic } from '../../identity/index.ts';
import { Note } from '../notes/notes.responses.ts';

/** Stored target type by `target_type` parameter; null if this server has no such entries. */
export const TARGET_TYPES = {
  epic: null,
  issue: 'Issue',
  merge_request: 'MergeRequest',
  milestone: 'Milestone',
  note: 'Note',
  project: 'Project',
  snippet: 'Snippet',
  user: null,
  wiki: 'WikiPage::Meta',
  design: null,
} as const satisfies Record<string, Event['target_type']>;

const PushData = Type.Object({
  commit_count: Type.Integer(),
  action: Enum(['created', 'removed', 'pushed']),
  ref_type: Enum(['branch', 'tag']),
  commit_from: Nullable(Type.String()),
  commit_to: Nullable(Type.String()),
  ref: Nullable(Type.String()),
  commit_title: Nullable(Type.String({ description: 'At most 70 characters.' })),
  ref_count: Nullable(
    Type.Integer({ description: 'Number of refs of a push that changed many refs; null otherwise.' }),
  ),
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
  wiki_page: Type.Optional(Type.Object(WikiPageBasic.properties, { description: 'Wiki page in its latest version.' })),
  data: Type.Null(),
});
