import { createHmac, randomBytes } from 'node:crypto';
import { timestamp } from '../core/clock.ts';
import { parseJson } from '../db/columns.ts';
import type { Deps } from '../deps.ts';

/** Where the key stands among the values of the installation. */
const KEY = 'pass_key';
const KEY_BYTES = 32;

/** What signs texts so that only this installation can have made them. Texts of different uses must differ in their form. */
export async function signer(deps: Pick<Deps, 'db' | 'clock'>): Promise<(text: string) => Buffer> {
  const key = await installationKey(deps);
  return (text) => createHmac('sha256', key).update(text).digest();
}

/** The key of the installation, made when it is first asked for; of two processes that make one at once, the first has it. */
async function installationKey({ db, clock }: Pick<Deps, 'db' | 'clock'>): Promise<Buffer> {
  const stored = async () => {
    const row = await db.selectFrom('instance_values').select('value').where('key', '=', KEY).executeTakeFirst();
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
