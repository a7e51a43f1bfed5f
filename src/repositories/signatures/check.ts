import type { CommitSignature } from '../../git/history/index.ts';
import type { KnownKeys } from './known-keys.ts';
import { checkPgp, type PgpVerdict } from './pgp.ts';
import type { Status } from './signatures.status.ts';
import { checkSsh, type SshVerdict } from './ssh.ts';

/** Verification result of a signature, by kind. X.509 certificates are not supported. */
export type Verdict =
  | ({ signature_type: 'PGP' } & PgpVerdict)
  | ({ signature_type: 'SSH' } & SshVerdict)
  | { signature_type: 'X509'; verification_status: Status };

/**
 * Verifies a signature with the registered keys of users.
 * @param email of the committer or tagger
 */
export async function checkSignature(keys: KnownKeys, signature: CommitSignature, email: string): Promise<Verdict> {
  const { kind } = signature;
  if (kind === 'SSH') return { signature_type: kind, ...(await checkSsh(keys, signature, email)) };
  if (kind === 'PGP') return { signature_type: kind, ...(await checkPgp(keys, signature, email)) };
  return { signature_type: kind, verification_status: 'unverified' };
}
