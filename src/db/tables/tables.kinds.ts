import type { Bit, Defaulted, Id, Timestamp } from '../columns.ts';

/** Objects with labels, assignees and a milestone. */
export type IssuableType = 'Issue' | 'MergeRequest';

/** Objects with comments and reactions, except commits. */
export type NoteableType = IssuableType | 'Snippet';

/** Common columns of issues and merge requests. */
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
  /** Number of comments without system notes; updated with notes. */
  user_notes_count: Defaulted<number>;
  /** Thumbs up and down; updated with reactions. */
  upvotes: Defaulted<number>;
  downvotes: Defaulted<number>;
  created_at: Timestamp;
  updated_at: Timestamp;
}
