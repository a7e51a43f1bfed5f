import type { Plan } from '../config/config.ts';
import { today } from '../core/clock.ts';
import type { Db } from '../db/db.schema.ts';
import { type LicenseDeps, licenseOf, trustedLicenses } from './licence.stored.ts';
import { planOf } from './terms.ts';

/**
 * The plan in force: that of the current license, else that of `STITHY_PLAN`.
 * @param db the handle of the transaction, if there is one
 */
export async function effectivePlan(deps: LicenseDeps, db: Db = deps.db): Promise<Plan> {
  const day = today(deps.clock);
  const license = licenseOf(await trustedLicenses(deps, db), day);
  return license === undefined ? deps.config.plan : planOf(license.terms, day);
}
