import type { Json } from '../columns.ts';

/** How jobs of projects of a server with a test bench end without a runner. */
export interface BenchJobRulesTable {
  project_id: number;
  /** `auto`, or a list of rules. */
  rules: Json<unknown>;
}
