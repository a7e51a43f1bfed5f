import type { StoredSecret } from '../../core/stored-secret.ts';
import type { Bit, Defaulted } from '../columns.ts';

/** Variables that a job got by itself: when it was played, or by what a job before it reported. */
export interface CiJobVariablesTable {
  job_id: number;
  key: string;
  value: StoredSecret<'ci_job_variables.value'>;
  /** `dotenv`: the job reported it, for those that depend on it. */
  source: 'manual' | 'dotenv';
  raw: Defaulted<Bit>;
}
