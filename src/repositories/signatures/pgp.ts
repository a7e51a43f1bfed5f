import { isSignedBy } from '../../core/pgp/pgp.key.ts';
import { hasSeveralSignatures, type PgpSignature, readPgpSignature } from '../../core/pgp/pgp.signature.ts';
import { asciiLower } from '../../db/like.ts';
import type { CommitSignature } from '../../git/history/index.ts';
import type { KnownKeys, PgpCandidate } from './known-keys.ts';
import type { Status } from './signatures.status.ts';

/** The platform's facts about a PGP signature. */
export interface PgpVerdict {
  verification_status: Status;
  gpg_key_id: number | null;
  gpg_key_primary_keyid: string | null;
  gpg_key_user_name: string | null;
  gpg_key_user_email: string | null;
  gpg_key_subkey_id: number | null;
}

/**
 * Verifies a PGP signature: verified if a registered key made it and the key contains an address of the committer that
 * its owner has confirmed.
 */
export async function checkPgp(
  keys: KnownKeys,
  { signature, payload }: CommitSignature,
  committerEmail: string,
): Promise<PgpVerdict> {
  const read = readPgpSignature(signature);
  const issuer = read?.issuer ?? null;
  const candidates = read === null || issuer === null ? [] : await keys.pgp(issuer);
  const maker = await makerOf(candidates, read, payload);
  const candidate = maker ?? candidates[0];
  const several = hasSeveralSignatures(signature);
  if (candidate === undefined || several) {
    return {
      verification_status: several ? 'multiple_signatures' : 'unknown_key',
      gpg_key_id: null,
      gpg_key_primary_keyid: issuer,
      gpg_key_user_name: null,
      gpg_key_user_email: null,
      gpg_key_subkey_id: null,
    };
  }
  const own = await keys.addressesOf(candidate.userId);
  const confirmed = candidate.key.userIds.filter(({ email }) => own.includes(asciiLower(email)));
  const shown = confirmed[0] ?? candidate.key.userIds[0];
  const email = asciiLower(committerEmail);
  return {
    verification_status: statusOf(
      maker !== undefined,
      confirmed.map((each) => asciiLower(each.email)),
      own,
      email,
    ),
    gpg_key_id: candidate.id,
    gpg_key_primary_keyid: candidate.key.keyid,
    gpg_key_user_name: shown?.name ?? null,
    gpg_key_user_email: shown?.email ?? null,
    gpg_key_subkey_id: candidate.subkeyId,
  };
}

async function makerOf(
  candidates: readonly PgpCandidate[],
  signature: PgpSignature | null,
  payload: Buffer,
): Promise<PgpCandidate | undefined> {
  for (const candidate of candidates) {
    if (signature !== null && (await isSignedBy(candidate.key, signature, payload))) return candidate;
  }
  return undefined;
}

function statusOf(valid: boolean, confirmed: readonly string[], own: readonly string[], email: string): Status {
  if (confirmed.length === 0) return 'unverified_key';
  if (!valid) return 'unverified';
  if (confirmed.includes(email)) return 'verified';
  return own.includes(email) ? 'same_user_different_email' : 'other_user';
}
