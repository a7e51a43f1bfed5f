import { INSTANCE, recordAudit } from '../audit/record.audit.ts';
import { timestamp, today } from '../core/clock.ts';
import type { Db } from '../db/db.schema.ts';
import type { License } from '../db/tables/licenses.table.ts';
import type { Deps } from '../deps.ts';
import { countBillable } from './billable-users.ts';
import { InvalidLicenseKey, verifyLicenseKey, withoutWhitespace } from './licence.key.ts';
import { type LicenseDeps, licenseOf, trustedLicenses } from './licence.stored.ts';
import { hasExpired, type LicenseTerms } from './terms.ts';
import { billingPlan, maxBillableUsers, recordBillableUsers, type Term, termOf } from './usage.ts';

/**
 * How far the number of users may exceed the limit of a license that is added (public documentation, "Users exceed
 * license limit").
 */
const TOLERANCE_PERCENT = 10;

const people = (count: number): string => `${count.toLocaleString('en-US')} ${count === 1 ? 'user' : 'users'}`;

/**
 * Adds a license to the server, and counts today's users.
 * @throws InvalidLicenseKey if it cannot be added
 */
export async function addLicense(deps: LicenseDeps, key: string): Promise<License> {
  const terms = verifyLicenseKey(key, deps.config.licenseIssuer);
  if (hasExpired(terms, today(deps.clock))) throw new InvalidLicenseKey('This license has already expired.');
  return deps.db.transaction().execute(async (db) => {
    await requireEnoughUsers(deps, db, terms);
    const license = await db
      .insertInto('licenses')
      .values({ data: withoutWhitespace(key), created_at: timestamp(deps.clock) })
      .returningAll()
      .executeTakeFirstOrThrow();
    await recordBillableUsers(deps, db);
    const { plan } = terms.restrictions;
    await tellOf(deps, db, license.id, 'created', `Added license ${license.id} of the plan ${plan}`);
    return license;
  });
}

/** @returns whether it existed */
export function removeLicense(deps: Pick<Deps, 'clock' | 'db'>, id: number): Promise<boolean> {
  return deps.db.transaction().execute(async (db) => {
    const deleted = await db.deleteFrom('licenses').where('id', '=', id).returning('id').executeTakeFirst();
    if (deleted !== undefined) await tellOf(deps, db, id, 'destroyed', `Removed license ${id}`);
    return deleted !== undefined;
  });
}

/** Records an audit event of a license; the key is never recorded. */
const tellOf = (deps: Pick<Deps, 'clock'>, db: Db, id: number, what: 'created' | 'destroyed', message: string) =>
  recordAudit(deps, db, {
    name: `license_${what}`,
    entity: INSTANCE,
    target: { id, type: 'License', details: String(id) },
    message,
  });

/**
 * Checks that the license covers the current number of users, and pays for those of the past term. @throws
 * InvalidLicenseKey
 */
async function requireEnoughUsers(deps: LicenseDeps, db: Db, terms: LicenseTerms): Promise<void> {
  const { active_user_count: limit, previous_user_count: previous, trueup_quantity } = terms.restrictions;
  const day = today(deps.clock);
  const before = licenseOf(await trustedLicenses(deps, db), day);
  const past = previousTerm(terms, before?.terms);
  if (previous !== null) {
    const [paid, owed] = [trueup_quantity ?? 0, ((await maxBillableUsers(db, [past]))[0] ?? 0) - previous];
    if (owed > paid) {
      throw new InvalidLicenseKey(
        `You have applied a True-up for ${people(paid)} but you need one for ${people(owed)}.`,
      );
    }
  } else if (before !== undefined) {
    requireWithin(
      'During the year before this license started, this GitLab installation had',
      limit,
      (await maxBillableUsers(db, [past]))[0] ?? 0,
    );
  }
  requireWithin('This GitLab installation currently has', limit, await countBillable(db, billingPlan(terms), day));
}

/** The term of the previous license; the year before if there is none. */
function previousTerm({ starts_at }: LicenseTerms, before: LicenseTerms | undefined): Term {
  if (before === undefined)
    return { from: `${Number(starts_at.slice(0, 4)) - 1}${starts_at.slice(4)}`, before: starts_at };
  const { from, before: end } = termOf(before);
  return { from, before: end !== null && end < starts_at ? end : starts_at };
}

function requireWithin(installation: string, limit: number | null, users: number): void {
  if (limit === null || users <= Math.floor((limit * (100 + TOLERANCE_PERCENT)) / 100)) return;
  const active = people(users).replace(' ', ' active ');
  throw new InvalidLicenseKey(
    `${installation} ${active}, exceeding this license's limit of ${limit.toLocaleString('en-US')} by ` +
      `${people(users - limit)}. Please add a license for at least ${people(users)}.`,
  );
}
