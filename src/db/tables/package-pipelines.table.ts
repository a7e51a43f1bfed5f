import type { Id } from '../columns.ts';

/** Pipelines that published a package or one of its files. */
export interface PackagePipelinesTable {
  id: Id;
  package_id: number;
  package_file_id: number | null;
  pipeline_id: number;
}
