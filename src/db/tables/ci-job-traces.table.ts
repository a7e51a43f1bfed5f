import type { Bit, Defaulted } from '../columns.ts';

/** Log of a running job, in the chunks in which it arrived; afterwards it is an artifact in `ci_job_artifacts`. */
export interface CiJobTracesTable {
  job_id: number;
  /** Offset of its first byte in the whole log. */
  start: number;
  /** Size in bytes. */
  size: number;
  /** Base64. */
  data: string;
  /** Whether it is not shown yet, because it may begin a masked value. Only the last chunk can be held. */
  held: Defaulted<Bit>;
}
