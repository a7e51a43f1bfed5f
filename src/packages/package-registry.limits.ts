import type { Deps } from '../deps.ts';
import { planLimits } from '../settings/settings.plan-limits.ts';
import { kindOf } from './package-kind.ts';

/** Maximum file size of kinds without a plan limit, in bytes. */
export const MAX_ARCHIVE = 100 * 1024 * 1024;
/** Stands for a limit of 0: larger than any disk, and small enough for exact sums. */
const NO_LIMIT = 2 ** 50;

/** Current maximum file size of a kind in bytes. */
export async function maxFileBytes(deps: Pick<Deps, 'db' | 'recent' | 'packageKinds'>, type: string): Promise<number> {
  const { limit } = kindOf(deps.packageKinds, type);
  if (limit === undefined) return MAX_ARCHIVE;
  return ((await planLimits(deps))[limit.name] ?? limit.bytes) || NO_LIMIT;
}
