import type { Deps } from '../deps.ts';
import { MAX_LICENSES, trustedLicenses } from './licence.stored.ts';

/** Logs a warning if stored licenses have no effect because their issuer is not trusted any more. */
export async function warnOfUntrusted(deps: Deps): Promise<void> {
  const { count } = await deps.db
    .selectFrom('licenses')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  const ignored = Math.min(Number(count), MAX_LICENSES) - (await trustedLicenses(deps)).length;
  if (ignored <= 0) return;
  const why = deps.config.licenseIssuer === null ? 'is not set' : 'is the key of another issuer';
  deps.log.log('warn', `STITHY_LICENSE_ISSUER ${why}: stored licenses have no effect`, { licenses: ignored });
}
