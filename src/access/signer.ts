import { createHmac, randomBytes } from 'node:crypto';
import { timestamp } from '../core/clock.ts';
import { parseJson } from '../db/columns.ts';
import { cachedUntilWrite } from '../db/read-cache.ts';
import type { Deps } from '../deps.ts';

/** Name of the key among the instance values. */
const KEY = 'pass_key';
const KEY_BYTES = 32;

/** Pages ask for it several times each. */
const instanceValue = cachedUntilWrite((db, { key }: { key: string }) =>
  db.selectFrom('instance_values').select('value').where('key', '=', key),
);

/**
 * Returns a function that signs texts with the key of the installation. Texts for different uses must differ in their
 * format.
 */
export async function signer(deps: Pick<Deps, 'db' | 'clock'>): Promise<(text: string) => Buffer> {
  const key = await installationKey(deps);
  return (text) => createHmac('sha256', key).update(text).digest();
}

/** The key of the installation, created at first use; if two processes create it at once, the first one wins. */
async function installationKey({ db, clock }: Pick<Deps, 'db' | 'clock'>): Promise<Buffer> {
  const stored = async () => {
    const [row] = await instanceValue(db, { key: KEY });
    return row === undefined ? undefined : Buffer.from(parseJson<string>(row.value), 'base64url');
  };
  const known = await stored();
  if (known !== undefined) return known;
  const value = JSON.stringify(randomBytes(KEY_BYTES).toString('base64url'));
  await db
    .insertInto('instance_values')
    .values({ key: KEY, value, updated_at: timestamp(clock) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return (await stored())!;
}
