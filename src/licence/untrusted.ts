import type { Deps } from '../deps.ts';
import { MAX_LICENSES, trustedLicenses } from './licence.stored.ts';

/** Says in the log that licenses count for nothing, since another issuer, or nobody, is trusted by now. */
export async function warnOfUntrusted(deps: Deps): Promise<void> {
  const { count } = await deps.db
    .selectFrom('licenses')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  const ignored = Math.min(Number(count), MAX_LICENSES) - (await trustedLicenses(deps)).length;
  if (ignored <= 0) return;
  const why = deps.config.licenseIssuer === null ? 'names nobody' : 'names another issuer';
  deps.log.log('warn', `STITHY_LICENSE_ISSUER ${why}: licenses count for nothing`, { licenses: ignored });
}
