import type { Id } from '../columns.ts';

/** Short names of projects. */
export interface ProjectAliasesTable {
  id: Id;
  project_id: number;
  name: string;
}
