import type { Plan } from '../config/config.ts';

/** Plans of licenses; `starter` is an old one without features beyond the free plan. */
export const LICENSED_PLANS = ['starter', 'premium', 'ultimate'] as const;
export type LicensedPlan = (typeof LICENSED_PLANS)[number];

/** Days on which something about a license changes, `YYYY-MM-DD`, each from its beginning in UTC. */
const OPTIONAL_DAYS = ['expires_at', 'notify_admins_at', 'notify_users_at', 'block_changes_at'] as const;
const COUNTS = ['active_user_count', 'previous_user_count', 'trueup_quantity'] as const;

/** Terms of a license: the signed content of its key (silent parts of the specification, 2.4.14). */
export interface LicenseTerms {
  version: 1;
  licensee: { Name: string; Email: string; Company: string };
  issued_at: string;
  starts_at: string;
  /** The first day after its term; null if it never expires. */
  expires_at: string | null;
  notify_admins_at: string | null;
  notify_users_at: string | null;
  /** The first day without its plan; null for two weeks after the expiry. */
  block_changes_at: string | null;
  restrictions: {
    plan: LicensedPlan;
    /** Maximum number of users; null for any number. */
    active_user_count: number | null;
    add_ons: Readonly<Record<string, number>>;
    previous_user_count: number | null;
    trueup_quantity: number | null;
  };
}

const GRACE_DAYS = 14;
const LAST_DAY = '9999-12-31';
const MAX_TEXT = 255;
const MAX_ADD_ONS = 100;
const MAX_COUNT = 2 ** 31 - 1;

type Loose = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_COUNT;
const isDay = (value: unknown): value is string =>
  typeof value === 'string' &&
  /^\d{4}-\d{2}-\d{2}$/.test(value) &&
  new Date(`${value}T00:00:00Z`).toJSON()?.slice(0, 10) === value;
const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= MAX_TEXT && !value.includes('\0');

/** Invalid terms of a license. */
export class InvalidTerms extends Error {
  override name = 'InvalidTerms';
}

function require(holds: boolean, text: string): asserts holds {
  if (!holds) throw new InvalidTerms(text);
}

/**
 * Reads terms from a key or from the input of a new license.
 * @throws InvalidTerms naming the invalid term
 */
export function readTerms(value: unknown): LicenseTerms {
  require(isObject(value) && value.version === 1, 'version must be 1');
  const { licensee, restrictions, issued_at, starts_at } = value;
  require(isObject(licensee), 'licensee must be an object');
  const { Name = '', Email = '', Company = '' } = licensee;
  require(isText(Name) &&
    isText(Email) &&
    isText(Company), `licensee must contain texts of at most ${MAX_TEXT} characters`);
  require(Name !== '', 'licensee must have a Name');
  require(isDay(issued_at), 'issued_at must be a day');
  require(isDay(starts_at), 'starts_at must be a day');
  const [expires_at, notify_admins_at, notify_users_at, block_changes_at] = OPTIONAL_DAYS.map((name) => {
    const day = value[name] ?? null;
    require(day === null || isDay(day), `${name} must be a day`);
    return day;
  }) as [string | null, string | null, string | null, string | null];
  require(expires_at === null || expires_at > starts_at, 'expires_at must come after starts_at');
  require(block_changes_at === null ||
    (expires_at !== null && block_changes_at >= expires_at), 'block_changes_at must not come before expires_at');
  return {
    version: 1,
    licensee: { Name, Email, Company },
    issued_at,
    starts_at,
    expires_at,
    notify_admins_at,
    notify_users_at,
    block_changes_at,
    restrictions: readRestrictions(restrictions),
  };
}

function readRestrictions(value: unknown): LicenseTerms['restrictions'] {
  require(isObject(value), 'restrictions must be an object');
  const plan = LICENSED_PLANS.find((name) => name === value.plan);
  require(plan !== undefined, `restrictions.plan must be one of ${LICENSED_PLANS.join(', ')}`);
  const add_ons = value.add_ons ?? {};
  require(isObject(add_ons) &&
    Object.entries(add_ons).every(
      ([name, count]) => isText(name) && isCount(count),
    ), 'restrictions.add_ons must be an object of numbers by name');
  require(Object.keys(add_ons).length <= MAX_ADD_ONS, `restrictions.add_ons may contain at most ${MAX_ADD_ONS} names`);
  const [active_user_count, previous_user_count, trueup_quantity] = COUNTS.map((name) => {
    const count = value[name] ?? null;
    require(count === null || isCount(count), `restrictions.${name} must be a non-negative integer`);
    return count;
  }) as [number | null, number | null, number | null];
  require(active_user_count !== 0, 'restrictions.active_user_count must be a positive integer');
  return {
    plan,
    active_user_count,
    add_ons: add_ons as Record<string, number>,
    previous_user_count,
    trueup_quantity,
  };
}

/** @param day today */
export const hasStarted = ({ starts_at }: LicenseTerms, day: string): boolean => starts_at <= day;

/** @param day today */
export const hasExpired = ({ expires_at }: LicenseTerms, day: string): boolean =>
  expires_at !== null && expires_at <= day;

/** The day so many days after another one, within the range of dates. */
export function dayAfter(day: string, days: number): string {
  const result = new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);
  return result.startsWith('+') ? LAST_DAY : result;
}

/** The first day on which an expired license gives no plan; null if it never expires. */
export function lapsesAt({ expires_at, block_changes_at }: LicenseTerms): string | null {
  if (expires_at === null || block_changes_at !== null) return block_changes_at;
  return dayAfter(expires_at, GRACE_DAYS);
}

/** Whether a license that has started still gives its plan. @param day today */
export function isInForce(terms: LicenseTerms, day: string): boolean {
  const lost = lapsesAt(terms);
  return lost === null || day < lost;
}

/** The plan given by a license that has started: its own, or the free one after it has lapsed. @param day today */
export function planOf(terms: LicenseTerms, day: string): Plan {
  const { plan } = terms.restrictions;
  return plan === 'starter' || !isInForce(terms, day) ? 'free' : plan;
}
