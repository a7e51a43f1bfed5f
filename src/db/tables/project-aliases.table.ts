import type { Id } from '../columns.ts';

/** Aliases of projects. */
export interface ProjectAliasesTable {
  id: Id;
  project_id: number;
  name: string;
}
