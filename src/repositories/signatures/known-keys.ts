import { addressesOf } from '../../access/user-addresses.ts';
import { EntryCache } from '../../core/cache/index.ts';
import { type PgpPublicKey, readPgpKey } from '../../core/pgp/pgp.key.ts';
import type { Db } from '../../db/db.schema.ts';
import type { SshKey } from '../../db/tables/ssh-keys.table.ts';

/** A user's PGP key that may have made a signature. */
export interface PgpCandidate {
  id: number;
  userId: number;
  /** Row of the matching subkey; null for the primary key. */
  subkeyId: number | null;
  key: PgpPublicKey;
}

const MAX_CANDIDATES = 5;

/** Signing keys and addresses of users, cached by this object. */
export class KnownKeys {
  readonly db: Db;
  readonly #ssh = new EntryCache<string, { row: SshKey | null }>('signing_keys');
  readonly #pgp = new EntryCache<string, PgpCandidate[]>('signing_keys');
  readonly #addresses = new EntryCache<number, readonly string[]>('signing_keys');

  constructor(db: Db) {
    this.db = db;
  }

  /** The SSH key with a fingerprint (`SHA256:...`), if its user signs with it. */
  async ssh(fingerprint: string): Promise<SshKey | null> {
    const known = this.#ssh.get(fingerprint);
    if (known !== undefined) return known.row;
    const row = await this.db
      .selectFrom('ssh_keys')
      .selectAll()
      .where('fingerprint', '=', fingerprint)
      .where('usage_type', 'in', ['signing', 'auth_and_signing'])
      .executeTakeFirst();
    this.#ssh.set(fingerprint, { row: row ?? null });
    return row ?? null;
  }

  /** PGP keys with this id, or with a subkey of this id. @param keyid 16 hexadecimal digits in upper case */
  async pgp(keyid: string): Promise<readonly PgpCandidate[]> {
    const known = this.#pgp.get(keyid);
    if (known !== undefined) return known;
    const rows = await this.db
      .selectFrom('gpg_key_ids')
      .innerJoin('gpg_keys', 'gpg_keys.id', 'gpg_key_ids.gpg_key_id')
      .select(['gpg_keys.id', 'gpg_keys.user_id', 'gpg_keys.key', 'gpg_key_ids.id as keyid_id', 'is_primary'])
      .where('keyid', '=', keyid)
      .orderBy('gpg_keys.id')
      .limit(MAX_CANDIDATES)
      .execute();
    const candidates = rows.flatMap(({ id, user_id, key: text, keyid_id, is_primary }) => {
      const key = readPgpKey(text);
      return key === null ? [] : [{ id, userId: user_id, subkeyId: is_primary === 1 ? null : keyid_id, key }];
    });
    this.#pgp.set(keyid, candidates);
    return candidates;
  }

  /** Confirmed addresses of a user in lower case; empty before the first confirmation. */
  async addressesOf(userId: number): Promise<readonly string[]> {
    const known = this.#addresses.get(userId);
    if (known !== undefined) return known;
    const user = await this.db
      .selectFrom('users')
      .select(['id', 'email', 'confirmed_at'])
      .where('id', '=', userId)
      .executeTakeFirst();
    const addresses = user === undefined || user.confirmed_at === null ? [] : await addressesOf(this.db, user);
    this.#addresses.set(userId, addresses);
    return addresses;
  }
}
