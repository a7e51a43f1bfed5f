import type { Bit, Defaulted } from '../columns.ts';

/** The log of a job that is not over, in the pieces in which it came; then it is a blob that `ci_job_artifacts` names. */
export interface CiJobTracesTable {
  job_id: number;
  /** Offset of its first byte in the whole log. */
  start: number;
  /** Bytes. */
  size: number;
  /** Base64. */
  data: string;
  /** Whether nobody sees it yet: it may be the beginning of a secret. At most the last piece is. */
  held: Defaulted<Bit>;
}
