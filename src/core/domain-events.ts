/** What can happen, by name, and what is recorded of it. A service records it in the transaction of the change. */
export interface DomainEvents {
  'project.created': { project_id: number };
  'project.destroyed': { project_id: number; full_path: string };
  'project.renamed': { project_id: number; old_full_path: string };
  'project.transferred': { project_id: number; old_full_path: string };
  'project.updated': { project_id: number };
  'project.forked': { project_id: number; fork_id: number };
  'group.created': { group_id: number };
  'group.destroyed': { group_id: number; full_path: string };
  'group.renamed': { group_id: number; old_full_path: string };
  'group.transferred': { group_id: number; old_full_path: string };
  'group.updated': { group_id: number };
  'user.created': { user_id: number };
  'user.destroyed': { user_id: number; username: string; email: string; name: string };
  'user.renamed': { user_id: number; old_username: string };
  'member.added': { source_type: 'project' | 'group'; source_id: number; user_id: number; access_level: number };
  'member.updated': { source_type: 'project' | 'group'; source_id: number; user_id: number; access_level: number };
  'member.removed': {
    source_type: 'project' | 'group';
    source_id: number;
    user_id: number;
    access_level: number;
    /** Whether the user's issues and merge requests there shall be unassigned. */
    unassign_issuables?: boolean;
  };
  'access_request.created': { source_type: 'project' | 'group'; source_id: number; user_id: number };
  /** Denied, or withdrawn by the user himself. */
  'access_request.removed': { source_type: 'project' | 'group'; source_id: number; user_id: number };
  'key.created': { key_id: number; user_id: number; key: string };
  'key.destroyed': { key_id: number; user_id: number; key: string };
  push: {
    project_id: number;
    /** Full ref names with object ids before and after; null where the ref does not exist. */
    updates: { ref: string; old: string | null; new: string | null }[];
    push_options: string[];
    /** `api` for changes through the REST API, `git` for pushes. */
    via: 'api' | 'git';
  };
  'note.created': { note_id: number; project_id: number | null };
  'note.updated': { note_id: number; project_id: number | null };
  'note.destroyed': { note_id: number; project_id: number | null; noteable_type: string; noteable_id: number | null };
  'snippet.pushed': {
    snippet_id: number;
    updates: { ref: string; old: string | null; new: string | null }[];
    via: 'api' | 'git';
  };
  'snippet.created': { snippet_id: number; project_id: number | null };
  'snippet.updated': { snippet_id: number; project_id: number | null };
  'snippet.destroyed': { snippet_id: number; project_id: number | null; title: string };
  'issue.created': { issue_id: number; project_id: number };
  /** `changes`: old and new value of what was changed, by attribute. */
  'issue.updated': { issue_id: number; project_id: number; changes: Record<string, [unknown, unknown]> };
  'issue.closed': { issue_id: number; project_id: number };
  'issue.reopened': { issue_id: number; project_id: number };
  'issue.destroyed': { issue_id: number; project_id: number; iid: number; title: string };
  'milestone.created': { milestone_id: number; project_id: number | null; group_id: number | null };
  'milestone.updated': { milestone_id: number; project_id: number | null; group_id: number | null };
  'milestone.closed': { milestone_id: number; project_id: number | null; group_id: number | null };
  'milestone.reopened': { milestone_id: number; project_id: number | null; group_id: number | null };
  'milestone.destroyed': { milestone_id: number; project_id: number | null; group_id: number | null; title: string };
  'merge_request.created': { merge_request_id: number; project_id: number };
  /** `old_sha` and `new_sha` when new commits came. */
  'merge_request.updated': {
    merge_request_id: number;
    project_id: number;
    changes: Record<string, [unknown, unknown]>;
    old_sha?: string | null;
    new_sha?: string | null;
  };
  'merge_request.closed': { merge_request_id: number; project_id: number };
  'merge_request.reopened': { merge_request_id: number; project_id: number };
  'merge_request.merged': { merge_request_id: number; project_id: number };
  'merge_request.destroyed': { merge_request_id: number; project_id: number; iid: number; title: string };
  /** One person's approval; `complete` when it was the last that was needed. */
  'merge_request.approved': { merge_request_id: number; project_id: number; user_id: number; complete: boolean };
  'merge_request.unapproved': { merge_request_id: number; project_id: number; user_id: number };
  /** What an external status check said of its head. */
  'merge_request.status_checked': {
    merge_request_id: number;
    project_id: number;
    external_status_check_id: number;
    status: 'pending' | 'passed' | 'failed';
  };
  'emoji.awarded': { award_id: number; awardable_type: string; awardable_id: number; project_id: number | null };
  'emoji.revoked': {
    award_id: number;
    name: string;
    user_id: number;
    awardable_type: string;
    awardable_id: number;
    project_id: number | null;
  };
  'commit_status.updated': { status_id: number; project_id: number };
}
export type DomainEventType = keyof DomainEvents;
