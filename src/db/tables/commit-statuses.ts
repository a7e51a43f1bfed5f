import type { Selectable } from 'kysely';
import type { Bit, Defaulted, Id, Timestamp } from '../columns.ts';
import type { Ownership } from '../ownership.ts';

/** States that outside systems report for a commit. */
export interface CommitStatusesTable {
  id: Id;
  project_id: number;
  pipeline_id: number;
  sha: string;
  ref: string;
  name: string;
  stage: Defaulted<string>;
  status: string;
  target_url: string | null;
  description: string | null;
  coverage: number | null;
  allow_failure: Defaulted<Bit>;
  /** Replaced by a later one of the same name. */
  retried: Defaulted<Bit>;
  author_id: number;
  created_at: Timestamp;
  started_at: Timestamp | null;
  finished_at: Timestamp | null;
}
export type CommitStatus = Selectable<CommitStatusesTable>;

export const commitStatusesOwnership: Ownership<CommitStatusesTable> = { outlives: { author_id: 'ghost' } };
