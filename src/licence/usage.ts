import { sql } from 'kysely';
import type { Plan } from '../config/config.ts';
import { timestamp, today } from '../core/clock.ts';
import type { Db } from '../db/db.schema.ts';
import { countBillable } from './billable-users.ts';
import { type LicenseDeps, licenseOf, trustedLicenses } from './licence.stored.ts';
import type { LicenseTerms } from './terms.ts';

/** A term in which users are counted: from its first day until before the last one, or without end. */
export interface Term {
  from: string;
  before: string | null;
}

export const termOf = ({ starts_at, expires_at }: LicenseTerms): Term => ({ from: starts_at, before: expires_at });

/** The plan whose billing rule applies to a license, expired or not. */
export const billingPlan = ({ restrictions: { plan } }: LicenseTerms): Plan =>
  plan === 'ultimate' ? 'ultimate' : 'premium';

const inTerm = (db: Db, { from, before }: Term) => {
  const query = db.selectFrom('billable_user_counts').where('day', '>=', from);
  return before === null ? query : query.where('day', '<', before);
};

/** Maximum daily number of users in each term, in one query; 0 if nothing was counted. */
export async function maxBillableUsers(db: Db, terms: readonly Term[]): Promise<number[]> {
  const [first, ...rest] = terms.map(({ from, before }, at) =>
    db.selectNoFrom((eb) => [
      eb.val(at).as('at'),
      inTerm(db, { from, before })
        .select((inner) => inner.fn.max('users').as('maximum'))
        .as('maximum'),
    ]),
  );
  if (first === undefined) return [];
  const maxima = new Map<number, number>();
  const query = rest.reduce((all, one) => all.unionAll(one), first);
  for (const { at, maximum } of await query.execute()) maxima.set(Number(at), Number(maximum ?? 0));
  return terms.map((_, at) => maxima.get(at) ?? 0);
}

/** Daily counts of the term. */
export const countsOf = (db: Db, term: Term) => inTerm(db, term).selectAll().orderBy('day').execute();

/**
 * Counts billable users by the rule of the current license and records the number for today, if it is higher than
 * before.
 * @param db the handle of the transaction, if there is one
 */
export async function recordBillableUsers(deps: LicenseDeps, db: Db = deps.db): Promise<void> {
  const day = today(deps.clock);
  const license = licenseOf(await trustedLicenses(deps, db), day);
  const plan = license === undefined ? deps.config.plan : billingPlan(license.terms);
  const users = await countBillable(db, plan, day);
  await db
    .insertInto('billable_user_counts')
    .values({ day, users, recorded_at: timestamp(deps.clock) })
    .onConflict((conflict) =>
      conflict
        .column('day')
        .doUpdateSet({ users: sql`excluded.users`, recorded_at: sql`excluded.recorded_at` })
        .where('billable_user_counts.users', '<', sql<number>`excluded.users`),
    )
    .execute();
}
