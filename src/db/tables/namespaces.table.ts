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
