import type { Selectable } from 'kysely';
import type { Id, Timestamp } from '../columns.ts';
import type { Ownership } from '../ownership.ts';

/** Files that jobs left: archives, reports and logs, each a blob. */
export interface CiJobArtifactsTable {
  id: Id;
  job_id: number;
  project_id: number;
  file_type: string;
  file_format: 'raw' | 'zip' | 'gzip';
  filename: string;
  /** Bytes. */
  size: number;
  sha256: string;
  /** Who may read it, beside those who may read the job. */
  accessibility: 'all' | 'developer' | 'maintainer' | 'none';
  /** When it may go; null: never. */
  expire_at: Timestamp | null;
  created_at: Timestamp;
}
export type CiJobArtifact = Selectable<CiJobArtifactsTable>;

export const ciJobArtifactsOwnership: Ownership<CiJobArtifactsTable> = { plain: ['file_type'] };
