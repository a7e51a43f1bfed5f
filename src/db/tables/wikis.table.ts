import type { Selectable } from 'kysely';
import type { Bit, Defaulted, Id, Timestamp } from '../columns.ts';

/** Wikis of projects and groups, each with a git repository; created when a wiki is first written or cloned. */
export interface WikisTable {
  id: Id;
  /** The owner: exactly one of the two is set. */
  project_id: number | null;
  namespace_id: number | null;
  repository_storage: string;
  disk_path: string;
  /** Set during a storage move, which blocks writes. */
  repository_read_only: Defaulted<Bit>;
  /** Bytes, updated by background jobs. */
  repository_size: Defaulted<number>;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type Wiki = Selectable<WikisTable>;
