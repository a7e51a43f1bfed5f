import type { Deps } from '../deps.ts';
import { jobKind } from '../jobs/jobs.kinds.ts';
import { pruneFailedSignIns } from './failed-sign-ins.ts';
import { registerTargetFilling } from './fill-targets.audit.ts';

const FORGET = jobKind<Record<string, never>>('audit-events.forget-failed-sign-ins', { lane: 'slow' });

/** Registers the background work for audit events; all but expired failed sign-ins stay. */
export function registerAuditWork(deps: Deps): void {
  registerTargetFilling(deps);
  deps.jobs.every(FORGET, { dailyAt: '00:20' }, (_payload, { signal }) => pruneFailedSignIns(deps, signal));
}
