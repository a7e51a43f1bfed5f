import type { ContainerExpirationPolicy } from './projects.settings.ts';

const DAY_MS = 86_400_000;

/** Intervals of the cleanup in days. */
const CADENCES: Readonly<Record<string, number>> = { '1d': 1, '7d': 7, '14d': 14, '1month': 30, '3month': 90 };

export const CADENCE_NAMES = Object.keys(CADENCES);

/**
 * Returns when the cleanup policy of a project created at `createdAt` runs next after `now`; null while it is disabled.
 */
export function nextRunAt(policy: ContainerExpirationPolicy, createdAt: string, now: Date): string | null {
  const days = CADENCES[policy.cadence];
  if (!policy.enabled || days === undefined) return null;
  const start = Date.parse(createdAt);
  const runs = Math.floor((now.getTime() - start) / (days * DAY_MS)) + 1;
  return new Date(start + Math.max(runs, 1) * days * DAY_MS).toISOString();
}
