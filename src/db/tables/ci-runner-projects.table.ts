import type { Timestamp } from '../columns.ts';

/** Projects of a project runner; the first one owns it. */
export interface CiRunnerProjectsTable {
  runner_id: number;
  project_id: number;
  created_at: Timestamp;
}
