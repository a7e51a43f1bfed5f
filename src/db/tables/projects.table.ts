import type { Selectable } from 'kysely';
import type { Visibility } from '../../core/access-levels.ts';
import type { StoredSecret } from '../../core/stored-secret.ts';
import type { Bit, Day, Defaulted, DefaultedJson, Id, Timestamp } from '../columns.ts';

export type FeatureLevel = 'disabled' | 'private' | 'enabled' | 'public';

/** Parts of a project with an access level; each is a column `<name>_access_level`. */
export const PROJECT_FEATURES = [
  'repository',
  'issues',
  'merge_requests',
  'forking',
  'wiki',
  'builds',
  'snippets',
  'pages',
  'analytics',
  'container_registry',
  'security_and_compliance',
  'releases',
  'environments',
  'feature_flags',
  'infrastructure',
  'monitor',
  'model_experiments',
  'model_registry',
  'package_registry',
  'requirements',
] as const;

export type ProjectFeature = (typeof PROJECT_FEATURES)[number];

export type FeatureColumn = `${ProjectFeature}_access_level`;

/** Boolean attributes that are columns. The API, audit events, exports and imports read this list. */
export const PROJECT_FLAGS = ['request_access_enabled'] as const;

export type FlagColumn = (typeof PROJECT_FLAGS)[number];

export interface ProjectsTable
  extends Record<FeatureColumn, Defaulted<FeatureLevel>>,
    Record<FlagColumn, Defaulted<Bit>> {
  id: Id;
  namespace_id: number;
  name: string;
  path: string;
  /** Path from the root including the namespace; unique ignoring case. */
  full_path: string;
  description: string | null;
  visibility: Visibility;
  /** Storage and path inside it, without `.git`; not changed by renames. */
  repository_storage: string;
  disk_path: string;
  /** Set during a storage move, which blocks writes. */
  repository_read_only: Defaulted<Bit>;
  creator_id: number | null;
  forked_from_id: number | null;
  /** The root project of the fork network; the project itself if it is not a fork. */
  fork_root_id: number | null;
  archived: Defaulted<Bit>;
  avatar: string | null;
  star_count: Defaulted<number>;
  /** Attributes without query filters; see `ProjectSettings` in the projects resource. */
  settings: DefaultedJson<Record<string, unknown>>;
  /** Sizes by kind and number of commits, updated by background jobs. */
  statistics: DefaultedJson<Record<string, number>>;
  import_url: StoredSecret<'projects.import_url'> | null;
  import_status: Defaulted<string>;
  import_error: string | null;
  pending_delete: Defaulted<Bit>;
  marked_for_deletion_on: Day | null;
  /** The user who marked it for deletion. */
  marked_by_id: number | null;
  /** Whether it or a group above it is marked for deletion, which makes it read-only. */
  in_deletion: Defaulted<Bit>;
  created_at: Timestamp;
  updated_at: Timestamp;
  last_activity_at: Timestamp;
  /** Bytes, as in `statistics`; a column for sorting. */
  repository_size: Defaulted<number>;
  storage_size: Defaulted<number>;
}
export type Project = Selectable<ProjectsTable>;

/** An object with a value for each of these columns. */
export const byFlagColumn = <T>(make: (column: FlagColumn) => T): Record<FlagColumn, T> =>
  Object.fromEntries(PROJECT_FLAGS.map((column) => [column, make(column)])) as Record<FlagColumn, T>;

/** Their values in a project, as responses and exports have them. */
export const flagValues = (project: Project): Record<FlagColumn, boolean> =>
  byFlagColumn((column) => project[column] === 1);
