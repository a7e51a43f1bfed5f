import { EntryCache } from '../core/cache/index.ts';
import type { Db } from '../db/db.schema.ts';
import type { License } from '../db/tables/licenses.table.ts';
import type { Deps } from '../deps.ts';
import { InvalidLicenseKey, verifyLicenseKey } from './licence.key.ts';
import { hasExpired, hasStarted, isInForce, type LicenseTerms } from './terms.ts';

/** Dependencies for reading licenses. */
export type LicenseDeps = Pick<Deps, 'config' | 'db' | 'snapshot' | 'clock'>;

/** A stored license that its issuer has signed. */
export interface TrustedLicense extends License {
  terms: LicenseTerms;
}

/** Number of recent licenses that are considered; older ones have no effect. */
export const MAX_LICENSES = 100;

/**
 * Terms by issuer and key, null if the issuer has not signed them. A pure function of both, so entries never become
 * stale.
 */
const known = new EntryCache<string, { terms: LicenseTerms | null }>('licences');

function trustedTerms(key: string, issuer: string | null): LicenseTerms | null {
  const name = `${issuer} ${key}`;
  const cached = known.get(name);
  if (cached !== undefined) return cached.terms;
  let terms: LicenseTerms | null = null;
  try {
    terms = verifyLicenseKey(key, issuer);
  } catch (error) {
    if (!(error instanceof InvalidLicenseKey)) throw error;
  }
  known.set(name, { terms });
  return terms;
}

const readAll = (db: Db): Promise<License[]> =>
  // The condition makes SQLite walk the ids from the end.
  db.selectFrom('licenses').selectAll().where('id', '>', 0).orderBy('id', 'desc').limit(MAX_LICENSES).execute();

/**
 * Valid licenses, the most recently added first.
 * @param db the handle of the transaction, if there is one
 */
export async function trustedLicenses(deps: LicenseDeps, db: Db = deps.db): Promise<readonly TrustedLicense[]> {
  const rows = await (db === deps.db ? deps.snapshot.get('licenses', () => readAll(db)) : readAll(db));
  return rows.flatMap((row) => {
    const terms = trustedTerms(row.data, deps.config.licenseIssuer);
    return terms === null ? [] : [{ ...row, terms }];
  });
}

/**
 * The current license: the most recently added one in its term, else an expired one that still gives its plan, else an
 * expired one. Future licenses are ignored.
 * @param licenses the most recently added first
 */
export function licenseOf<L extends { terms: LicenseTerms }>(licenses: readonly L[], day: string): L | undefined {
  const started = licenses.filter(({ terms }) => hasStarted(terms, day));
  return (
    started.find(({ terms }) => !hasExpired(terms, day)) ??
    started.find(({ terms }) => isInForce(terms, day)) ??
    started[0]
  );
}
