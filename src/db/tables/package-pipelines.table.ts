import type { Id } from '../columns.ts';

/** Pipelines whose jobs published a package, or a file of it. */
export interface PackagePipelinesTable {
  id: Id;
  package_id: number;
  package_file_id: number | null;
  pipeline_id: number;
}
