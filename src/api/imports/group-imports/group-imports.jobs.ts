import { jobKind } from '../../../jobs/jobs.kinds.ts';
import type { StoredBlob } from '../../../storage/blob-store.ts';

/** Fills a group out of an archive. */
export const GROUP_FILE_IMPORT = jobKind<{ entity_id: number; archive: StoredBlob }>('group_imports.run', {
  lane: 'transfers',
  maxAttempts: 5,
  timeoutMs: 6 * 3_600_000,
});
