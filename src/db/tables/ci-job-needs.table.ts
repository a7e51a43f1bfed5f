import type { Bit, Defaulted } from '../columns.ts';

/** The jobs of its pipeline that a job waits for, by name. */
export interface CiJobNeedsTable {
  job_id: number;
  name: string;
  artifacts: Defaulted<Bit>;
  optional: Defaulted<Bit>;
}
