import { pruneFailedSignIns } from '../../../audit/failed-sign-ins.ts';
import type { Deps } from '../../../deps.ts';
import { jobKind } from '../../../jobs/jobs.kinds.ts';

const FORGET = jobKind<Record<string, never>>('audit-events.forget-failed-sign-ins', { lane: 'slow' });

/** Registers the daily removal of expired failed sign-ins; all other audit events stay. */
export function registerAuditEventPruning(deps: Deps): void {
  deps.jobs.every(FORGET, { dailyAt: '00:20' }, (_payload, { signal }) => pruneFailedSignIns(deps, signal));
}
