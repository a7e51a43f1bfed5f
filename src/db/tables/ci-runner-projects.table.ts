import type { Timestamp } from '../columns.ts';

/** Which projects a project runner works for; the first is its owner. */
export interface CiRunnerProjectsTable {
  runner_id: number;
  project_id: number;
  created_at: Timestamp;
}
