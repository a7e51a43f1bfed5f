import { jobKind } from '../../../jobs/jobs.kinds.ts';
import type { StoredBlob } from '../../../storage/blob-store.ts';

/** An archive that a project is made of. */
export interface FileImport {
  entity_id: number;
  /** Null for one that has yet to be fetched. */
  archive: StoredBlob | null;
  /** The address that it is fetched from, sealed. */
  source?: string;
  /** Attributes that were given with it: those of the archive do not count. */
  overridden?: string[];
  /** What the project is called once it has taken the place of another. */
  replaces?: { name: string; path: string };
}

/** Makes a project of an archive. */
export const FILE_IMPORT = jobKind<FileImport>('project_imports.run', {
  lane: 'transfers',
  maxAttempts: 5,
  timeoutMs: 6 * 3_600_000,
});
