import { timestamp } from '../../../core/clock.ts';
import type { Deps } from '../../../deps.ts';
import { collectDueEvidence } from './evidence.ts';
import { COLLECT_DUE, COLLECT_EVIDENCE } from './evidence-due.ts';

const EVERY_MS = 60_000;
const BATCH_SIZE = 100;

/** Collects the evidence of releases: immediately for new ones, on the release date for upcoming ones. */
export function registerReleases(deps: Deps): void {
  deps.jobs.register(COLLECT_EVIDENCE, ({ release_id, last_pipeline_id }) =>
    collectDueEvidence(deps, release_id, last_pipeline_id),
  );
  deps.jobs.every(COLLECT_DUE, { everyMs: EVERY_MS }, async (_payload, { signal }) => {
    for (let full = true; full && !signal.aborted; ) {
      const due = await deps.db
        .selectFrom('releases')
        .select('id')
        .where('evidence_due_at', '<=', timestamp(deps.clock))
        .orderBy('evidence_due_at')
        .limit(BATCH_SIZE)
        .execute();
      for (const { id } of due) await collectDueEvidence(deps, id);
      full = due.length === BATCH_SIZE;
    }
  });
}
