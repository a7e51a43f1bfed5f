import { jobKind } from '../../../jobs/jobs.kinds.ts';
import type { StoredBlob } from '../../../storage/blob-store.ts';

/** Import of an archive into a project. */
export interface FileImport {
  entity_id: number;
  /** Null if it must still be downloaded. */
  archive: StoredBlob | null;
  /** Sealed URL to download it from. */
  source?: string;
  /** Attributes given with the request, which override the archive. */
  overridden?: string[];
  /** Name and path of the project once it has replaced another. */
  replaces?: { name: string; path: string };
}

/** Imports a project from an archive. */
export const FILE_IMPORT = jobKind<FileImport>('project_imports.run', {
  lane: 'transfers',
  maxAttempts: 5,
  timeoutMs: 6 * 3_600_000,
});
