import type { StoredSecret } from '../../core/stored-secret.ts';
import type { Bit, Defaulted } from '../columns.ts';

/** Variables of a single job: set when it was played, or reported by an earlier job. */
export interface CiJobVariablesTable {
  job_id: number;
  key: string;
  value: StoredSecret<'ci_job_variables.value'>;
  /** `dotenv`: reported by the job, for those that depend on it. */
  source: 'manual' | 'dotenv';
  raw: Defaulted<Bit>;
}
