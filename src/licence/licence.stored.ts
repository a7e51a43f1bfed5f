import { LRUCache } from 'lru-cache';
import type { Db } from '../db/db.schema.ts';
import type { License } from '../db/tables/licenses.table.ts';
import type { Deps } from '../deps.ts';
import { BadLicenseKey, verifyLicenseKey } from './licence.key.ts';
import { givesPlan, hasExpired, hasStarted, type LicenseTerms } from './terms.ts';

/** What a look at the licenses takes. */
export type LicenseDeps = Pick<Deps, 'config' | 'db' | 'snapshot' | 'clock'>;

/** A license that the server has been given, and that its issuer has signed. */
export interface TrustedLicense extends License {
  terms: LicenseTerms;
}

/** Older ones decide about nothing any more. */
export const MAX_LICENSES = 100;

/** By issuer and key: terms, or null where the issuer has not signed them. It is a function of both, so none is stale. */
const known = new LRUCache<string, { terms: LicenseTerms | null }>({ max: 2 * MAX_LICENSES });

function trustedTerms(key: string, issuer: string | null): LicenseTerms | null {
  const name = `${issuer} ${key}`;
  const found = known.get(name);
  if (found !== undefined) return found.terms;
  let terms: LicenseTerms | null = null;
  try {
    terms = verifyLicenseKey(key, issuer);
  } catch (error) {
    if (!(error instanceof BadLicenseKey)) throw error;
  }
  known.set(name, { terms });
  return terms;
}

const readAll = (db: Db): Promise<License[]> =>
  // The condition has SQLite walk the ids from their end.
  db.selectFrom('licenses').selectAll().where('id', '>', 0).orderBy('id', 'desc').limit(MAX_LICENSES).execute();

/**
 * The licenses that count, the last one that was added first.
 * @param db the handle of a transaction where there is one
 */
export async function trustedLicenses(deps: LicenseDeps, db: Db = deps.db): Promise<readonly TrustedLicense[]> {
  const rows = await (db === deps.db ? deps.snapshot.get('licenses', () => readAll(db)) : readAll(db));
  return rows.flatMap((row) => {
    const terms = trustedTerms(row.data, deps.config.licenseIssuer);
    return terms === null ? [] : [{ ...row, terms }];
  });
}

/**
 * Which of the licenses is the one of the day: the last one added whose time it is, else one that is over but still gives its
 * plan, else one that is over. Those that are still to begin are none.
 * @param licenses the last one added first
 */
export function licenseOf<L extends { terms: LicenseTerms }>(licenses: readonly L[], day: string): L | undefined {
  const started = licenses.filter(({ terms }) => hasStarted(terms, day));
  return (
    started.find(({ terms }) => !hasExpired(terms, day)) ??
    started.find(({ terms }) => givesPlan(terms, day)) ??
    started[0]
  );
}
