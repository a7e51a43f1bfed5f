import { jobKind } from '../../../jobs/jobs.kinds.ts';

/** Imports an entity from another server. */
export const ENTITY = jobKind<{ entity_id: number }>('bulk_imports.entity', {
  lane: 'transfers',
  maxAttempts: 8,
  timeoutMs: 6 * 3_600_000,
});
