/** Bytes by programming language on the default branch, kept by background work for searches. */
export interface ProjectLanguagesTable {
  project_id: number;
  name: string;
  bytes: number;
}
