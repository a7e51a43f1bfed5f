import { isSignedBy, type PgpPublicKey, readPgpKey } from '../../../core/pgp/key.ts';
import { readPgpSignature } from '../../../core/pgp/signature.ts';
import { asciiLower } from '../../../db/like.ts';
import type { Deps } from '../../../deps.ts';
import type { CommitSignature } from '../../../git/signature.ts';
import { addressesOf, userById } from '../../identity/index.ts';

/** What a signature can be worth. */
export const STATUSES = [
  'verified',
  'unverified',
  'unknown_key',
  'unverified_key',
  'same_user_different_email',
  'other_user',
] as const;
export type Status = (typeof STATUSES)[number];

/** What the platform says of a PGP signature. */
export interface PgpVerdict {
  verification_status: Status;
  gpg_key_id: number | null;
  gpg_key_primary_keyid: string | null;
  gpg_key_user_name: string | null;
  gpg_key_user_email: string | null;
  gpg_key_subkey_id: number | null;
}

/** A key of a user that can have made a signature. */
interface Candidate {
  id: number;
  userId: number;
  /** Row of the subkey that is named; null for the key itself. */
  subkeyId: number | null;
  key: PgpPublicKey;
}

const MAX_CANDIDATES = 5;

async function candidatesFor({ db }: Deps, keyid: string): Promise<Candidate[]> {
  const rows = await db
    .selectFrom('gpg_key_ids')
    .innerJoin('gpg_keys', 'gpg_keys.id', 'gpg_key_ids.gpg_key_id')
    .select(['gpg_keys.id', 'gpg_keys.user_id', 'gpg_keys.key', 'gpg_key_ids.id as keyid_id', 'is_primary'])
    .where('keyid', '=', keyid)
    .orderBy('gpg_keys.id')
    .limit(MAX_CANDIDATES)
    .execute();
  return rows.flatMap(({ id, user_id, key: text, keyid_id, is_primary }) => {
    const key = readPgpKey(text);
    return key === null ? [] : [{ id, userId: user_id, subkeyId: is_primary === 1 ? null : keyid_id, key }];
  });
}

/**
 * What a PGP signature is worth: it is verified where a registered key made it, and the key names an address of the
 * committer that its owner has confirmed.
 */
export async function checkPgp(
  deps: Deps,
  { signature, payload }: CommitSignature,
  committerEmail: string,
): Promise<PgpVerdict> {
  const read = readPgpSignature(signature);
  const issuer = read?.issuer ?? null;
  const candidates = read === null || issuer === null ? [] : await candidatesFor(deps, issuer);
  const maker = candidates.find(({ key }) => isSignedBy(key, read!, payload));
  const found = maker ?? candidates[0];
  if (found === undefined) {
    return {
      verification_status: 'unknown_key',
      gpg_key_id: null,
      gpg_key_primary_keyid: issuer,
      gpg_key_user_name: null,
      gpg_key_user_email: null,
      gpg_key_subkey_id: null,
    };
  }
  const owner = await userById(deps.db, found.userId);
  const own = owner.confirmed_at === null ? [] : await addressesOf(deps.db, owner);
  const confirmed = found.key.userIds.filter(({ email }) => own.includes(asciiLower(email)));
  const shown = confirmed[0] ?? found.key.userIds[0];
  const email = asciiLower(committerEmail);
  return {
    verification_status: statusOf(
      maker !== undefined,
      confirmed.map((each) => asciiLower(each.email)),
      own,
      email,
    ),
    gpg_key_id: found.id,
    gpg_key_primary_keyid: found.key.keyid,
    gpg_key_user_name: shown?.name ?? null,
    gpg_key_user_email: shown?.email ?? null,
    gpg_key_subkey_id: found.subkeyId,
  };
}

function statusOf(valid: boolean, confirmed: readonly string[], own: readonly string[], email: string): Status {
  if (confirmed.length === 0) return 'unverified_key';
  if (!valid) return 'unverified';
  if (confirmed.includes(email)) return 'verified';
  return own.includes(email) ? 'same_user_different_email' : 'other_user';
}
