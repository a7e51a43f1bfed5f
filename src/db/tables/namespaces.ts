import type { Selectable } from 'kysely';
import type { Visibility } from '../../core/access-levels.ts';
import type { Bit, Day, Defaulted, DefaultedJson, Id, Timestamp } from '../columns.ts';

/** Groups and the personal namespaces of users share one table and one series of ids. */
export interface NamespacesTable {
  id: Id;
  kind: 'user' | 'group';
  name: string;
  path: string;
  /** Path from the root, `parent/child`; unique without regard to case. */
  full_path: string;
  parent_id: number | null;
  /** Ids from the root to this namespace, `/1/5/9/`: ancestors are read from it, descendants by its prefix. */
  lineage: string;
  /** The user of a personal namespace. */
  owner_id: number | null;
  description: Defaulted<string>;
  visibility: Visibility;
  avatar: string | null;
  request_access_enabled: Defaulted<Bit>;
  /** Attributes that no query filters by; see `GroupSettings` in the groups resource. */
  settings: DefaultedJson<Record<string, unknown>>;
  archived: Defaulted<Bit>;
  marked_for_deletion_on: Day | null;
  /** Who marked it. */
  marked_by_id: number | null;
  /** Whether it, or a group above it, is marked for deletion. */
  in_deletion: Defaulted<Bit>;
  /** Project with the templates of files for the group's projects. */
  file_template_project_id: number | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type Namespace = Selectable<NamespacesTable>;

/** Where a renamed or moved project or group used to be. */
export interface RedirectRoutesTable {
  id: Id;
  path: string;
  source_type: 'project' | 'group';
  source_id: number;
}

export interface MembersTable {
  id: Id;
  source_type: 'project' | 'group';
  source_id: number;
  user_id: number;
  access_level: number;
  member_role_id: number | null;
  created_by_id: number | null;
  expires_at: Day | null;
  state: Defaulted<'active' | 'awaiting'>;
  notification_level: Defaulted<number>;
  created_at: Timestamp;
  /** Null while the membership is as it was made. */
  updated_at: Timestamp | null;
}
export type Member = Selectable<MembersTable>;

/** A project or group shared with a group. */
export interface GroupLinksTable {
  id: Id;
  source_type: 'project' | 'group';
  source_id: number;
  group_id: number;
  group_access: number;
  member_role_id: number | null;
  expires_at: Day | null;
  created_at: Timestamp;
}
export type GroupLink = Selectable<GroupLinksTable>;

export interface AccessRequestsTable {
  id: Id;
  source_type: 'project' | 'group';
  source_id: number;
  user_id: number;
  created_at: Timestamp;
}
export type AccessRequest = Selectable<AccessRequestsTable>;
