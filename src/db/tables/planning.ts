import type { Selectable } from 'kysely';
import type { Bit, Defaulted, Id, Json, Timestamp } from '../columns.ts';
import type { IssuableType } from './issues.ts';

/** A change of a label, the milestone, the state or the weight of an issue or merge request. */
export interface ResourceEventsTable {
  id: Id;
  kind: 'label' | 'milestone' | 'state' | 'weight' | 'iteration';
  issuable_type: IssuableType;
  issuable_id: number;
  project_id: number;
  /** Null for the system, and for users that are gone. */
  user_id: number | null;
  /** Of labels and milestones. */
  action: 'add' | 'remove' | null;
  /** The new one where the state changed, else the one that it had. */
  state: 'opened' | 'closed' | 'reopened' | 'merged' | 'locked' | null;
  /** Null for others than labels, and once the label is gone; milestones likewise. */
  label_id: number | null;
  milestone_id: number | null;
  weight: number | null;
  /** What closed an issue: a merge request, or a commit of the project. */
  source_project_id: number | null;
  source_merge_request_id: number | null;
  source_commit: string | null;
  created_at: Timestamp;
}
export type ResourceEvent = Selectable<ResourceEventsTable>;

export type TodoAction =
  | 'assigned'
  | 'mentioned'
  | 'directly_addressed'
  | 'build_failed'
  | 'marked'
  | 'approval_required'
  | 'unmergeable'
  | 'review_requested';

/** Something that waits for a user. */
export interface TodosTable {
  id: Id;
  user_id: number;
  /** Who made it, the user himself perhaps. */
  author_id: number;
  project_id: number;
  target_type: IssuableType | 'Commit';
  /** Null for commits. */
  target_id: number | null;
  commit_id: string | null;
  /** The comment that it is about. */
  note_id: number | null;
  action: TodoAction;
  state: Defaulted<'pending' | 'done'>;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type Todo = Selectable<TodosTable>;

/** A comment of a review that only its author sees, until he publishes it. */
export interface DraftNotesTable {
  id: Id;
  merge_request_id: number;
  author_id: number;
  /** The thread that it answers in. */
  discussion_id: string | null;
  /** Of an answer: whether the thread is resolved with it, else opened again. */
  resolve_discussion: Defaulted<Bit>;
  note: string;
  commit_id: string | null;
  position: Json<Record<string, unknown>> | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type DraftNote = Selectable<DraftNotesTable>;

/** Of the request that made an issue, for administrators. */
export interface IssueUserAgentsTable {
  issue_id: number;
  user_agent: string;
  ip_address: string;
}

/** Commits that belong to no merge request of their own but are looked at with this one. */
export interface MergeRequestContextCommitsTable {
  id: Id;
  merge_request_id: number;
  sha: string;
  created_at: Timestamp;
}

/** A service outside that says whether merge requests are fine. Without branches it is for all of them. */
export interface ExternalStatusChecksTable {
  id: Id;
  project_id: number;
  name: string;
  external_url: string;
  /** Signs what is sent to it. */
  shared_secret: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export type ExternalStatusCheck = Selectable<ExternalStatusChecksTable>;

export interface ExternalStatusCheckBranchesTable {
  check_id: number;
  protected_ref_id: number;
}

/** What a service said of a head; the newest counts. */
export interface StatusCheckResponsesTable {
  id: Id;
  external_status_check_id: number;
  merge_request_id: number;
  sha: string;
  status: 'pending' | 'passed' | 'failed';
  created_at: Timestamp;
}
