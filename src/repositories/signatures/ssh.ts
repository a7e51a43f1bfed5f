import { readSshSignature } from '../../core/ssh-signature.ts';
import { asciiLower } from '../../db/like.ts';
import type { SshKey } from '../../db/tables/ssh-keys.table.ts';
import type { CommitSignature } from '../../git/history/index.ts';
import type { KnownKeys } from './known-keys.ts';
import type { Status } from './signatures.status.ts';

/** Verification result of an SSH signature. */
export interface SshVerdict {
  verification_status: Status;
  key: SshKey | null;
}

/**
 * Verifies an SSH signature: verified if a registered key made it and its owner has confirmed the address.
 * @param email of the committer or tagger
 */
export async function checkSsh(
  keys: KnownKeys,
  { signature, payload }: CommitSignature,
  email: string,
): Promise<SshVerdict> {
  const read = await readSshSignature(signature, payload);
  if (read === null) return { verification_status: 'unverified', key: null };
  const key = await keys.ssh(read.fingerprint);
  if (!read.valid) return { verification_status: 'unverified', key };
  if (key === null) return { verification_status: 'unknown_key', key };
  // A valid signature proves something only if the address belongs to the signer.
  const own = await keys.addressesOf(key.user_id);
  return { verification_status: own.includes(asciiLower(email)) ? 'verified' : 'other_user', key };
}
