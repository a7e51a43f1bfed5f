import { timestamp, today } from '../../../core/clock.ts';
import { csvRow } from '../../../core/csv.ts';
import type { Deps } from '../../../deps.ts';
import { licenseOf, trustedLicenses } from '../../../licence/licence.stored.ts';
import { countsOf, termOf } from '../../../licence/usage.ts';

const YEAR_MS = 365 * 86_400_000;

/** `2026-01-31T09:05:00.123Z` as `2026-01-31 09:05:00`. */
const inWords = (instant: string): string => instant.slice(0, 19).replace('T', ' ');

/** Builds a CSV of the license of the server, an empty row, and the billable users per day (part 2, section 4.14). */
export async function usageExport(deps: Deps): Promise<string> {
  const license = licenseOf(await trustedLicenses(deps), today(deps.clock));
  const lastYear = new Date(deps.clock.now().getTime() - YEAR_MS).toISOString().slice(0, 10);
  const term = license === undefined ? { from: lastYear, before: null } : termOf(license.terms);
  const { licensee, starts_at, expires_at } = license?.terms ?? {};
  const counts = await countsOf(deps.db, term);
  return [
    ['License Key', license?.data ?? null],
    ['Email', licensee?.Email ?? null],
    ['License Start Date', starts_at ?? null],
    ['License End Date', expires_at ?? null],
    ['Company', licensee?.Company ?? null],
    ['Generated At', inWords(timestamp(deps.clock))],
    ['', ''],
    ['Date', 'Billable User Count'],
    ...counts.map(({ recorded_at, users }) => [inWords(recorded_at), users]),
  ]
    .map(csvRow)
    .join('');
}
