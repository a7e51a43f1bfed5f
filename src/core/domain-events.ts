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
  'commit_status.updated': { status_id: number; project_id: number };
}
export type DomainEventType = keyof DomainEvents;
