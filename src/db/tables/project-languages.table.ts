/** Bytes by programming language on the default branch, updated by background jobs, for searches. */
export interface ProjectLanguagesTable {
  project_id: number;
  name: string;
  bytes: number;
}
