import type { Bit, Defaulted, Id, Timestamp } from '../columns.ts';

/** What carries labels, assignees and a milestone. */
export type IssuableType = 'Issue' | 'MergeRequest';

/** What can be discussed and reacted to, commits apart. */
export type NoteableType = IssuableType | 'Snippet';

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
