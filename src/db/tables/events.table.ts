import type { Selectable } from 'kysely';
import type { Defaulted, Json, Timestamp } from '../columns.ts';
import type { Ownership } from '../ownership.ts';

export type EventAction =
  | 'created'
  | 'updated'
  | 'closed'
  | 'reopened'
  | 'pushed'
  | 'commented'
  | 'merged'
  | 'joined'
  | 'left'
  | 'destroyed'
  | 'expired'
  | 'approved';

/** Payload of a push event; with several refs only `ref_count` is set. */
export interface PushData {
  commit_count: number;
  action: 'created' | 'removed' | 'pushed';
  ref_type: 'branch' | 'tag';
  commit_from: string | null;
  commit_to: string | null;
  ref: string | null;
  commit_title: string | null;
  ref_count: number | null;
}

/** Maximum number of entries for one domain event. */
export const MAX_ORDINALS = 32;

/** Id of an entry: ids follow the order of the events, whatever the order of writing. */
export const eventId = (domainEventId: number, ordinal: number): number => domainEventId * MAX_ORDINALS + ordinal;

/** The activity feed (part 1, 4.11). Visibility of entries is decided on reading. */
export interface EventsTable {
  /** `eventId` of domain event and ordinal. */
  id: number;
  action: EventAction;
  author_id: number;
  project_id: number;
  target_type:
    | 'Issue'
    | 'MergeRequest'
    | 'Milestone'
    | 'Note'
    | 'DiffNote'
    | 'DiscussionNote'
    | 'Snippet'
    | 'Project'
    | 'WikiPage::Meta'
    | null;
  target_id: number | null;
  /** For comments: the type of the discussed object. */
  noteable_type: 'Issue' | 'MergeRequest' | 'Snippet' | 'Commit' | null;
  noteable_id: number | null;
  push_data: Json<PushData> | null;
  /** The domain event behind the entry, and its ordinal: no entry is written twice. */
  domain_event_id: number;
  ordinal: Defaulted<number>;
  created_at: Timestamp;
}
export type Event = Selectable<EventsTable>;

export const eventsOwnership: Ownership<EventsTable> = {
  belongsTo: [
    { type: 'target_type', id: 'target_id', goesWith: ['Issue', 'MergeRequest', 'Snippet'] },
    { type: 'noteable_type', id: 'noteable_id', goesWith: ['Issue', 'MergeRequest', 'Snippet'] },
  ],
};
