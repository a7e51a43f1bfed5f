import type { Selectable } from 'kysely';
import type { Visibility } from '../../core/access-levels.ts';
import type { Bit, Day, Defaulted, DefaultedJson, Id, Timestamp } from '../columns.ts';

/** Groups and personal namespaces, in one table with one series of ids. */
export interface NamespacesTable {
  id: Id;
  kind: 'user' | 'group';
  name: string;
  path: string;
  /** Path from the root, `parent/child`; unique ignoring case. */
  full_path: string;
  parent_id: number | null;
  /** Ids from the root to this namespace, `/1/5/9/`: contains the ancestors, and is a prefix for descendants. */
  lineage: string;
  /** The owner of a personal namespace. */
  owner_id: number | null;
  description: Defaulted<string>;
  visibility: Visibility;
  avatar: string | null;
  request_access_enabled: Defaulted<Bit>;
  /** Attributes without query filters; see `GroupSettings` in the groups resource. */
  settings: DefaultedJson<Record<string, unknown>>;
  archived: Defaulted<Bit>;
  marked_for_deletion_on: Day | null;
  /** The user who marked it for deletion. */
  marked_by_id: number | null;
  /** Whether it or an ancestor is marked for deletion. */
  in_deletion: Defaulted<Bit>;
  /** Project with file templates for the group's projects. */
  file_template_project_id: number | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type Namespace = Selectable<NamespacesTable>;
