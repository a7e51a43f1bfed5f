import type { Id, Timestamp } from '../columns.ts';

/** Projects and groups whose job tokens a project lets in. */
export interface CiJobTokenLinksTable {
  id: Id;
  /** The project that lets in. */
  source_project_id: number;
  target_project_id: number | null;
  target_group_id: number | null;
  added_by_id: number | null;
  created_at: Timestamp;
}
