import type { Static } from 'typebox';
import { today } from '../../../core/clock.ts';
import type { License as LicenseRow } from '../../../db/tables/licenses.table.ts';
import type { Deps } from '../../../deps.ts';
import { countBillable } from '../../../licence/billable-users.ts';
import { readLicenseKey } from '../../../licence/licence.key.ts';
import { hasExpired, hasStarted, type LicenseTerms } from '../../../licence/terms.ts';
import { billingPlan, maxBillableUsers, termOf } from '../../../licence/usage.ts';
import type { License } from './license.responses.ts';

/** Licenses with their current and highest numbers of billable users, in a fixed number of queries. */
export async function presentLicenses(deps: Deps, rows: readonly LicenseRow[]): Promise<Static<typeof License>[]> {
  const read = rows.map((row) => ({ row, terms: readLicenseKey(row.data) }));
  const day = today(deps.clock);
  const billed = new Map<string, number>();
  for (const plan of new Set(read.map(({ terms }) => billingPlan(terms)))) {
    const count = () => countBillable(deps.db, plan, day);
    billed.set(plan, await deps.snapshot.get(`billable:${plan}:${day}`, count));
  }
  const highest = await maxBillableUsers(
    deps.db,
    read.map(({ terms }) => termOf(terms)),
  );
  return read.map(({ row, terms }, at) =>
    present(row, terms, day, { active: billed.get(billingPlan(terms))!, counted: highest[at]! }),
  );
}

/** Presents one license. */
export async function presentLicense(deps: Deps, row: LicenseRow): Promise<Static<typeof License>> {
  const [shown] = await presentLicenses(deps, [row]);
  return shown!;
}

function present(
  row: LicenseRow,
  terms: LicenseTerms,
  day: string,
  { active, counted }: { active: number; counted: number },
): Static<typeof License> {
  const { restrictions, licensee, starts_at, expires_at } = terms;
  const expired = hasExpired(terms, day);
  // The current count stands in for days without a count.
  const historicalMax = expired || !hasStarted(terms, day) ? counted : Math.max(counted, active);
  const limit = restrictions.active_user_count;
  return {
    id: row.id,
    plan: restrictions.plan,
    created_at: row.created_at,
    starts_at,
    expires_at,
    historical_max: historicalMax,
    maximum_user_count: historicalMax,
    expired,
    overage: limit === null ? 0 : Math.max(0, (expired ? historicalMax : active) - limit),
    user_limit: limit ?? 0,
    active_users: active,
    licensee,
    add_ons: { ...restrictions.add_ons },
  };
}
