import type { Json } from '../columns.ts';

/** What a job was made of: JSON that only the runner, a retry or a variable wants. */
export interface CiJobConfigsTable {
  job_id: number;
  /** A `JobOptions`. */
  options: Json<unknown>;
  /** A `Variable[]`: those of the YAML. */
  variables: Json<unknown>;
  /** An `EnvironmentConfig` as JSON, expanded as far as was possible at the making. */
  environment: string | null;
}
