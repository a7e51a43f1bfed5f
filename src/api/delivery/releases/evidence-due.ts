import { jobKind } from '../../../jobs/jobs.kinds.ts';

/**
 * Collects the evidence of a release, if it is still due; of pipelines made after `last_pipeline_id` it tells nothing: the
 * one that the tag of the release starts has left nothing yet.
 */
export const COLLECT_EVIDENCE = jobKind<{ release_id: number; last_pipeline_id?: number }>(
  'releases.collect-evidence',
  { lane: 'events' },
);
/** Looks for releases whose time has come. */
export const COLLECT_DUE = jobKind<Record<string, never>>('releases.collect-due-evidence', { lane: 'slow' });

/**
 * When the evidence of a new release is collected: when it is released. Null for one of the past, of which nobody knows any
 * more what it was.
 * @param now when the release is made
 */
export const evidenceDue = (releasedAt: string, now: string): string | null => (releasedAt < now ? null : releasedAt);
