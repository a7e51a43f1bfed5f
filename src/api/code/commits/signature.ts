import { type Static, Type } from 'typebox';
import { notFound } from '../../../core/errors.ts';
import { readSshSignature } from '../../../core/ssh-signature.ts';
import { asciiLower } from '../../../db/like.ts';
import type { SshKey } from '../../../db/tables/ssh-keys.ts';
import type { Deps } from '../../../deps.ts';
import { type CommitSignature, signatureOf } from '../../../git/signature.ts';
import { Enum, Instant, Nullable } from '../../../http/schema.ts';
import { addressesOf, isEmailTaken, userById } from '../../identity/index.ts';
import type { FoundCommit } from './find.ts';
import { checkPgp, STATUSES, type Status } from './pgp-signature.ts';

const Key = Type.Object({
  id: Type.Integer(),
  title: Type.String(),
  created_at: Instant(),
  expires_at: Nullable(Instant()),
  key: Type.String(),
  usage_type: Type.String(),
});

/** Signature of a commit; which fields there are depends on its type. */
export const Signature = Type.Object({
  signature_type: Enum(['PGP', 'SSH', 'X509']),
  verification_status: Enum(STATUSES, {
    description: 'Only `verified` says that the committer himself signed, by a key and an address that are his.',
  }),
  commit_source: Type.String(),
  gpg_key_id: Type.Optional(Nullable(Type.Integer())),
  gpg_key_primary_keyid: Type.Optional(Nullable(Type.String())),
  gpg_key_user_name: Type.Optional(Nullable(Type.String())),
  gpg_key_user_email: Type.Optional(Nullable(Type.String())),
  gpg_key_subkey_id: Type.Optional(Nullable(Type.Integer())),
  key: Type.Optional(Nullable(Key)),
  x509_certificate: Type.Optional(Nullable(Type.Object({}))),
});
type SignatureJson = Static<typeof Signature>;

/**
 * The signature of a commit and what it is worth. SSH and PGP signatures are checked against the keys that users have
 * registered; of X.509 signatures no certificate is known here.
 * @throws ApiError 404 `404 Signature Not Found`
 */
export async function readSignature(deps: Deps, { repo, commit }: FoundCommit): Promise<SignatureJson> {
  const signature = await signatureOf(repo, commit.oid);
  if (signature === null) throw notFound('Signature');
  return checkSignature(deps, signature, commit.committer.email);
}

/**
 * What a signature is worth.
 * @param email of the committer or tagger, for whom it speaks
 */
export async function checkSignature(deps: Deps, signature: CommitSignature, email: string): Promise<SignatureJson> {
  const common = { signature_type: signature.kind, commit_source: 'gitaly' };
  if (signature.kind === 'SSH') return { ...common, ...(await checkSsh(deps, signature, email)) };
  if (signature.kind === 'X509') return { ...common, verification_status: 'unverified', x509_certificate: null };
  return { ...common, ...(await checkPgp(deps, signature, email)) };
}

async function checkSsh(
  deps: Deps,
  { signature, payload }: CommitSignature,
  committerEmail: string,
): Promise<Pick<SignatureJson, 'verification_status' | 'key'>> {
  const read = readSshSignature(signature, payload);
  if (read === null) return { verification_status: 'unverified', key: null };
  const row = await deps.db
    .selectFrom('ssh_keys')
    .selectAll()
    .where('fingerprint', '=', read.fingerprint)
    .where('usage_type', 'in', ['signing', 'auth_and_signing'])
    .executeTakeFirst();
  const key = row === undefined ? null : presentKey(row);
  if (!read.valid) return { verification_status: 'unverified', key };
  if (row === undefined) return { verification_status: 'unknown_key', key };
  return { verification_status: await statusFor(deps, row.user_id, committerEmail), key };
}

/** A good signature proves something only where its maker owns the committer's address. */
async function statusFor({ db }: Deps, userId: number, committerEmail: string): Promise<Status> {
  const owner = await userById(db, userId);
  if (owner.confirmed_at === null) return 'unverified';
  if ((await addressesOf(db, owner)).includes(asciiLower(committerEmail))) return 'verified';
  return (await isEmailTaken(db, committerEmail, userId)) ? 'other_user' : 'unverified';
}

const presentKey = ({ id, title, created_at, expires_at, key, usage_type }: SshKey): Static<typeof Key> => ({
  id,
  title,
  created_at,
  expires_at,
  key,
  usage_type,
});
