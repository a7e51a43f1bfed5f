import type { Selectable } from 'kysely';
import type { Id, Timestamp } from '../columns.ts';

/** Evidence of releases, which is immutable. */
export interface ReleaseEvidencesTable {
  id: Id;
  release_id: number;
  /** JSON as it is served. */
  summary: string;
  /** SHA-256 of the summary. */
  sha: string;
  created_at: Timestamp;
}
export type ReleaseEvidence = Selectable<ReleaseEvidencesTable>;
