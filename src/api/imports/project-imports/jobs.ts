import { jobKind } from '../../../jobs/kinds.ts';
import type { StoredBlob } from '../../../storage/blob-store.ts';

/** Makes a project of an archive. */
export const FILE_IMPORT = jobKind<{ entity_id: number; archive: StoredBlob }>('project_imports.run', {
  lane: 'transfers',
  maxAttempts: 5,
  timeoutMs: 6 * 3_600_000,
});
