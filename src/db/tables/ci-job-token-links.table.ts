import type { Id, Timestamp } from '../columns.ts';

/** Allowlist of projects and groups whose job tokens a project admits. */
export interface CiJobTokenLinksTable {
  id: Id;
  /** The admitting project. */
  source_project_id: number;
  target_project_id: number | null;
  target_group_id: number | null;
  added_by_id: number | null;
  created_at: Timestamp;
}
