import type { Selectable } from 'kysely';
import type { Id, Timestamp } from '../columns.ts';
import type { Ownership } from '../ownership.ts';

/** Files of jobs: archives, reports and logs, each in the blob store. */
export interface CiJobArtifactsTable {
  id: Id;
  job_id: number;
  project_id: number;
  file_type: string;
  file_format: 'raw' | 'zip' | 'gzip';
  filename: string;
  /** Size in bytes. */
  size: number;
  sha256: string;
  /** Further restriction among those who may read the job. */
  accessibility: 'all' | 'developer' | 'maintainer' | 'none';
  /** When it expires; null for never. */
  expire_at: Timestamp | null;
  created_at: Timestamp;
}
export type CiJobArtifact = Selectable<CiJobArtifactsTable>;

export const ciJobArtifactsOwnership: Ownership<CiJobArtifactsTable> = { plain: ['file_type'] };
