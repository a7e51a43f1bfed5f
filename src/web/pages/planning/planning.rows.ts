/** What pages of issues and merge requests use of the answers of the API. */
export interface Person {
  id: number;
  username: string;
  name: string;
}

export interface LabelRow {
  name: string;
  color: string;
  description: string | null;
}

export interface MilestoneRow {
  id: number;
  iid: number;
  title: string;
  description: string | null;
  state: 'active' | 'closed';
  due_date: string | null;
  start_date: string | null;
  expired: boolean;
  web_url: string;
}

/** What issues and merge requests have in common. */
export interface IssuableRow {
  iid: number;
  title: string;
  description: string | null;
  state: 'opened' | 'closed' | 'merged' | 'locked';
  created_at: string;
  updated_at: string;
  author: Person;
  assignees: Person[];
  labels: LabelRow[];
  milestone: MilestoneRow | null;
  user_notes_count: number;
  references: { full: string };
  web_url: string;
  draft?: boolean;
  confidential?: boolean;
}

export interface IssueRow extends IssuableRow {
  due_date: string | null;
  confidential: boolean;
}

export interface NoteRow {
  id: number;
  body: string;
  author: Person;
  created_at: string;
  system: boolean;
  internal: boolean;
  resolvable: boolean;
  resolved?: boolean;
  position?: {
    position_type: string;
    head_sha: string;
    old_path: string;
    new_path: string;
    old_line?: number | null;
    new_line?: number | null;
  };
}

export interface DiscussionRow {
  id: string;
  individual_note: boolean;
  notes: NoteRow[];
}

export interface MergeRequestRow extends IssuableRow {
  draft: boolean;
  source_branch: string;
  target_branch: string;
  source_project_id: number | null;
  target_project_id: number;
  reviewers: Person[];
  merge_user: Person | null;
  merged_at: string | null;
  detailed_merge_status: string;
  merge_when_pipeline_succeeds: boolean;
  merge_error: string | null;
  sha: string | null;
  squash: boolean;
  squash_on_merge: boolean;
  force_remove_source_branch: boolean | null;
  changes_count: string | null;
  diff_refs: { base_sha: string; head_sha: string; start_sha: string } | null;
  head_pipeline?: { id: number; status: string } | null;
  user: { can_merge: boolean };
}
