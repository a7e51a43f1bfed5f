import type { Selectable } from 'kysely';
import type { Bit, Defaulted, Id, Json, Timestamp } from '../columns.ts';

/** Protected branches and protected tags. */
export interface ProtectedRefsTable {
  id: Id;
  project_id: number;
  kind: 'branch' | 'tag';
  /** A name, or a pattern with `*`. */
  name: string;
  allow_force_push: Defaulted<Bit>;
  code_owner_approval_required: Defaulted<Bit>;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type ProtectedRef = Selectable<ProtectedRefsTable>;

/** Who may do what with a protected ref: a level, a user, a group or a deploy key. */
export interface ProtectedRefLevelsTable {
  id: Id;
  protected_ref_id: number;
  action: 'push' | 'merge' | 'unprotect' | 'create';
  access_level: number | null;
  user_id: number | null;
  group_id: number | null;
  deploy_key_id: number | null;
}
export type ProtectedRefLevel = Selectable<ProtectedRefLevelsTable>;

/**
 * Ref changes that are about to be made. Written before the refs move, deleted with the events that follow
 * from them: what a crash leaves behind is compared with the refs on disk and finished or dropped.
 */
export interface RefIntentsTable {
  id: Id;
  /** Either of the two is set: whose repository it is. */
  project_id: number | null;
  snippet_id: number | null;
  user_id: number | null;
  updates: Json<RefChange[]>;
  context: Json<Record<string, unknown>>;
  created_at: Timestamp;
}
export interface RefChange {
  /** Full name, `refs/heads/main`. */
  ref: string;
  /** Object id before and after; null where the ref does not exist. */
  old: string | null;
  new: string | null;
}

/** Comments on everything that can be discussed. */
export interface NotesTable {
  id: Id;
  project_id: number | null;
  noteable_type: 'Commit' | 'Issue' | 'MergeRequest' | 'Snippet';
  noteable_id: number | null;
  commit_id: string | null;
  discussion_id: string;
  type: 'DiscussionNote' | 'DiffNote' | null;
  author_id: number;
  note: string;
  position: Json<Record<string, unknown>> | null;
  system: Defaulted<Bit>;
  internal: Defaulted<Bit>;
  resolved_at: Timestamp | null;
  resolved_by_id: number | null;
  /** Of system notes: what they tell, `closed`, `cross_reference`, ... */
  system_action: string | null;
  updated_by_id: number | null;
  /** Whether the lines that it stands on have changed since. */
  diff_refs_outdated: Defaulted<Bit>;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type Note = Selectable<NotesTable>;

/** States that outside systems report for a commit. */
export interface CommitStatusesTable {
  id: Id;
  project_id: number;
  pipeline_id: number;
  sha: string;
  ref: string;
  name: string;
  stage: Defaulted<string>;
  status: string;
  target_url: string | null;
  description: string | null;
  coverage: number | null;
  allow_failure: Defaulted<Bit>;
  /** Replaced by a later one of the same name. */
  retried: Defaulted<Bit>;
  author_id: number;
  created_at: Timestamp;
  started_at: Timestamp | null;
  finished_at: Timestamp | null;
}
export type CommitStatus = Selectable<CommitStatusesTable>;

export interface PipelinesTable {
  id: Id;
  iid: number;
  project_id: number;
  sha: string;
  ref: string;
  tag: Defaulted<Bit>;
  source: string;
  status: string;
  user_id: number | null;
  created_at: Timestamp;
  updated_at: Timestamp;
  started_at: Timestamp | null;
  finished_at: Timestamp | null;
}
export type Pipeline = Selectable<PipelinesTable>;

export interface LfsObjectsTable {
  project_id: number;
  oid: string;
  size: number;
  created_at: Timestamp;
}

export interface LfsLocksTable {
  id: Id;
  project_id: number;
  user_id: number;
  path: string;
  ref: string | null;
  locked_at: Timestamp;
}
