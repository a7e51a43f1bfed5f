import type { Selectable } from 'kysely';
import type { Bit, Day, Defaulted, Id, Timestamp } from '../columns.ts';

/** What carries labels, assignees and a milestone. */
export type IssuableType = 'Issue' | 'MergeRequest';
/** What can be discussed and reacted to, commits apart. */
export type NoteableType = IssuableType | 'Snippet';

/** The last number given to the issues (and the like) of a project or group. */
export interface InternalIdsTable {
  source_type: 'project' | 'group';
  source_id: number;
  usage: 'issues' | 'merge_requests' | 'milestones';
  last_value: number;
}

export interface MilestonesTable {
  id: Id;
  iid: number;
  /** Either of the two is set. */
  project_id: number | null;
  group_id: number | null;
  title: string;
  description: Defaulted<string>;
  state: Defaulted<'active' | 'closed'>;
  start_date: Day | null;
  due_date: Day | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type Milestone = Selectable<MilestonesTable>;

export interface LabelsTable {
  id: Id;
  /** Either of the two is set. */
  project_id: number | null;
  group_id: number | null;
  name: string;
  /** `#rrggbb` or `#rgb`. */
  color: string;
  description: string | null;
  archived: Defaulted<Bit>;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type Label = Selectable<LabelsTable>;

export interface LabelPrioritiesTable {
  label_id: number;
  project_id: number;
  priority: number;
}

/** Columns that issues and merge requests have in common. */
export interface IssuableColumns {
  id: Id;
  iid: number;
  project_id: number;
  author_id: number;
  title: string;
  description: string | null;
  discussion_locked: Bit | null;
  milestone_id: number | null;
  /** Seconds. */
  time_estimate: Defaulted<number>;
  time_spent: Defaulted<number>;
  closed_at: Timestamp | null;
  closed_by_id: number | null;
  updated_by_id: number | null;
  /** Comments of people, system notes apart; kept by who writes notes. */
  user_notes_count: Defaulted<number>;
  /** Thumbs up and down; kept by who writes reactions. */
  upvotes: Defaulted<number>;
  downvotes: Defaulted<number>;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export type IssueType = 'issue' | 'incident' | 'test_case' | 'requirement' | 'task' | 'ticket';

export interface IssuesTable extends IssuableColumns {
  state: Defaulted<'opened' | 'closed'>;
  issue_type: Defaulted<IssueType>;
  confidential: Defaulted<Bit>;
  weight: number | null;
  severity: Defaulted<'UNKNOWN' | 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL'>;
  health_status: string | null;
  start_date: Day | null;
  due_date: Day | null;
  relative_position: number | null;
  moved_to_id: number | null;
  duplicated_to_id: number | null;
}
export type Issue = Selectable<IssuesTable>;

/** A relation of two issues; `blocks` reads from source to target. */
export interface IssueLinksTable {
  id: Id;
  source_id: number;
  target_id: number;
  link_type: Defaulted<'relates_to' | 'blocks'>;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type IssueLink = Selectable<IssueLinksTable>;

export interface IssuableLabelsTable {
  issuable_type: IssuableType;
  issuable_id: number;
  label_id: number;
  project_id: number;
}

export interface IssuableAssigneesTable {
  issuable_type: IssuableType;
  issuable_id: number;
  user_id: number;
  project_id: number;
}

/** Said by a user himself: `subscribed` 0 is stronger than taking part. */
export interface SubscriptionsTable {
  subscribable_type: IssuableType | 'Label';
  subscribable_id: number;
  user_id: number;
  project_id: number | null;
  subscribed: Bit;
  created_at: Timestamp;
}

/** People named with `@` in a description (`note_id` null) or in a note. */
export interface UserMentionsTable {
  id: Id;
  target_type: NoteableType | 'Commit';
  target_id: number;
  note_id: number | null;
  user_id: number;
  project_id: number | null;
}

/** That something names an issue or merge request, told once however often it does. */
export interface CrossReferencesTable {
  id: Id;
  target_type: IssuableType;
  target_id: number;
  source_type: NoteableType | 'Commit';
  source_id: number | null;
  source_sha: string | null;
  /** The source in one text: `Issue:12`, `Commit:5:<sha>`. */
  source_key: string;
  source_project_id: number | null;
  target_project_id: number | null;
  /** The system note that tells of it; it is shown to those who may see the source. */
  note_id: number | null;
  created_at: Timestamp;
}

export interface AwardEmojiTable {
  id: Id;
  awardable_type: NoteableType | 'Note';
  awardable_id: number;
  user_id: number;
  /** Null on personal snippets and their notes. */
  project_id: number | null;
  name: string;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type AwardEmoji = Selectable<AwardEmojiTable>;

/** Time that was spent (or taken back), in seconds. */
export interface TimeLogsTable {
  id: Id;
  issuable_type: IssuableType;
  issuable_id: number;
  project_id: number;
  user_id: number;
  time_spent: number;
  summary: string | null;
  spent_at: Timestamp;
  created_at: Timestamp;
}
