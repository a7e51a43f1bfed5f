import type { Bit, Defaulted } from '../columns.ts';

/** Jobs in the same pipeline that a job needs, by name. */
export interface CiJobNeedsTable {
  job_id: number;
  name: string;
  artifacts: Defaulted<Bit>;
  optional: Defaulted<Bit>;
}
