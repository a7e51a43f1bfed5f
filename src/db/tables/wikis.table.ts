import type { Selectable } from 'kysely';
import type { Bit, Defaulted, Id, Timestamp } from '../columns.ts';

/** Wikis of projects and groups, each a git repository of its own; made when a wiki is first written or cloned. */
export interface WikisTable {
  id: Id;
  /** Either of the two is set: whose wiki it is. */
  project_id: number | null;
  namespace_id: number | null;
  repository_storage: string;
  disk_path: string;
  /** While a storage move runs: no writes. */
  repository_read_only: Defaulted<Bit>;
  /** Bytes, kept by background work. */
  repository_size: Defaulted<number>;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type Wiki = Selectable<WikisTable>;
