import type { Json } from '../columns.ts';

/** Configuration of a job: JSON that only runners, retries and variables need. */
export interface CiJobConfigsTable {
  job_id: number;
  /** A `JobOptions`. */
  options: Json<unknown>;
  /** A `Variable[]`: those of the YAML file. */
  variables: Json<unknown>;
  /** An `EnvironmentConfig` as JSON, expanded as far as possible when the job was created. */
  environment: string | null;
}
