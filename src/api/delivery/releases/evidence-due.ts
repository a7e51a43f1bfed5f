import { jobKind } from '../../../jobs/jobs.kinds.ts';

/**
 * Collects the evidence of a release if it is still due. Ignores pipelines after `last_pipeline_id`: the pipeline for
 * the tag of the release has no results yet.
 */
export const COLLECT_EVIDENCE = jobKind<{ release_id: number; last_pipeline_id?: number }>(
  'releases.collect-evidence',
  { lane: 'events' },
);
/** Finds releases whose release date has been reached. */
export const COLLECT_DUE = jobKind<Record<string, never>>('releases.collect-due-evidence', { lane: 'slow' });

/**
 * When to collect the evidence of a new release: on its release date. Null for a release date in the past.
 * @param now when the release is created
 */
export const evidenceDue = (releasedAt: string, now: string): string | null => (releasedAt < now ? null : releasedAt);
