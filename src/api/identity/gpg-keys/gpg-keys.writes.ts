import { recordAudit, user } from '../../../audit/record.audit.ts';
import { timestamp } from '../../../core/clock.ts';
import { invalidModel, notFound } from '../../../core/core.errors.ts';
import { readPgpKey } from '../../../core/pgp/pgp.key.ts';
import { bit } from '../../../db/columns.ts';
import { isUniqueViolation } from '../../../db/db.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { GpgKey } from '../../../db/tables/gpg-keys.table.ts';
import type { Deps } from '../../../deps.ts';

const INVALID =
  "is invalid. A valid public GPG key begins with '-----BEGIN PGP PUBLIC KEY BLOCK-----' and ends with '-----END PGP PUBLIC KEY BLOCK-----'";

/**
 * Adds a GPG key to a user. A key belongs to one user only.
 * @param text armoured public key
 * @throws ApiError 400
 */
export async function addGpgKey(deps: Deps, userId: number, text: string): Promise<GpgKey> {
  const key = text.trim();
  const read = readPgpKey(key);
  if (read === null) throw invalidModel({ key: [INVALID] });
  try {
    return await deps.db.transaction().execute(async (db) => {
      const row = await db
        .insertInto('gpg_keys')
        .values({ user_id: userId, key, fingerprint: read.fingerprint, created_at: timestamp(deps.clock) })
        .returningAll()
        .executeTakeFirstOrThrow();
      // A signature names the key that made it, which may be a subkey.
      const [own, ...subkeys] = read.keys;
      const named = [own!, ...subkeys.filter(({ signs }) => signs)];
      const values = [...new Set(named.map(({ keyid }) => keyid))].map((keyid) => ({
        gpg_key_id: row.id,
        keyid,
        is_primary: bit(keyid === read.keyid),
      }));
      await db.insertInto('gpg_key_ids').values(values).execute();
      await recordKey(deps, db, 'add', row);
      return row;
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw invalidModel({ fingerprint: ['has already been taken'] });
    throw error;
  }
}

/** Finds a GPG key of a user. @throws ApiError 404 */
export async function gpgKeyOf(db: Db, userId: number, id: number): Promise<GpgKey> {
  return db
    .selectFrom('gpg_keys')
    .selectAll()
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow(() => notFound('GPG Key'));
}

/** Removes a key; commits that it signed become unverified. */
export async function removeGpgKey(deps: Deps, key: GpgKey): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    const { numDeletedRows } = await db.deleteFrom('gpg_keys').where('id', '=', key.id).executeTakeFirst();
    if (numDeletedRows > 0n) await recordKey(deps, db, 'remove', key);
  });
}

const recordKey = (deps: Deps, db: Db, happened: 'add' | 'remove', key: GpgKey): Promise<void> =>
  recordAudit(deps, db, {
    name: `${happened}_gpg_key`,
    entity: user(key.user_id),
    target: { id: key.id, type: 'GpgKey', details: key.fingerprint },
    message: happened === 'add' ? 'Added GPG key' : 'Removed GPG key',
  });
