import { jobKind } from '../../../jobs/jobs.kinds.ts';
import type { StoredBlob } from '../../../storage/blob-store.ts';

/** Imports an archive into a group. */
export const GROUP_FILE_IMPORT = jobKind<{ entity_id: number; archive: StoredBlob }>('group_imports.run', {
  lane: 'transfers',
  maxAttempts: 5,
  timeoutMs: 6 * 3_600_000,
});
