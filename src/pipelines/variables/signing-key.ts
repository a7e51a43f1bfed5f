import { createPrivateKey, createPublicKey, generateKeyPair, hash, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { timestamp } from '../../core/clock.ts';
import { parseJson } from '../../db/columns.ts';
import type { Db } from '../../db/db.schema.ts';
import type { Deps } from '../../deps.ts';

const makeKeys = promisify(generateKeyPair);

/** Name of the key among the stored values of the installation. */
const KEY = 'id_token_key';
const BITS = 2_048;

export interface SigningKey {
  privateKey: KeyObject;
  /** Key id, derived from the public key. */
  id: string;
  /** Public key for verification. */
  publicJwk: { kty: string; e: string; n: string };
}

/** Signing key of the installation for ID tokens, generated on first use and permanent. */
export async function signingKey(deps: Pick<Deps, 'db' | 'clock'>, db: Db = deps.db): Promise<SigningKey> {
  const pem = (await stored(db)) ?? (await make(deps, db));
  const privateKey = createPrivateKey(pem);
  const { kty = '', e = '', n = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  // RFC 7638: the required members in alphabetical order.
  const id = hash('sha256', JSON.stringify({ e, kty, n }), 'base64url');
  return { privateKey, id, publicJwk: { kty, e, n } };
}

async function stored(db: Db): Promise<string | undefined> {
  const row = await db.selectFrom('instance_values').select('value').where('key', '=', KEY).executeTakeFirst();
  return row === undefined ? undefined : parseJson<string>(row.value);
}

/** If two processes generate a key at once, the first one wins. */
async function make({ clock }: Pick<Deps, 'clock'>, db: Db): Promise<string> {
  const { privateKey } = await makeKeys('rsa', { modulusLength: BITS });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
  await db
    .insertInto('instance_values')
    .values({ key: KEY, value: JSON.stringify(pem), updated_at: timestamp(clock) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return (await stored(db))!;
}
