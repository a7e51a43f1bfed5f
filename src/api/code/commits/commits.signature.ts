import { type Static, Type } from 'typebox';
import { notFound } from '../../../core/core.errors.ts';
import type { SshKey } from '../../../db/tables/ssh-keys.table.ts';
import type { Deps } from '../../../deps.ts';
import { type CommitSignature, signatureOf } from '../../../git/history/index.ts';
import { Enum, Instant, Nullable } from '../../../http/http.schema.ts';
import { checkSignature } from '../../../repositories/signatures/check.ts';
import { KnownKeys } from '../../../repositories/signatures/known-keys.ts';
import { STATUSES } from '../../../repositories/signatures/signatures.status.ts';
import type { ResolvedCommit } from './commits.find.ts';

const Key = Type.Object({
  id: Type.Integer(),
  title: Type.String(),
  created_at: Instant(),
  expires_at: Nullable(Instant()),
  key: Type.String(),
  usage_type: Type.String(),
});

/** Signature of a commit; its fields depend on its type. */
export const Signature = Type.Object({
  signature_type: Enum(['PGP', 'SSH', 'X509']),
  verification_status: Enum(STATUSES, {
    description: '`verified` means that the committer signed with a key and an email address of their own.',
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
 * Verifies the signature of a commit. SSH and PGP signatures are verified with the registered keys of users; X.509
 * certificates are not known here.
 * @throws ApiError 404 `404 Signature Not Found`
 */
export async function readSignature(deps: Deps, { repo, commit }: ResolvedCommit): Promise<SignatureJson> {
  const signature = await signatureOf(repo, commit.oid);
  if (signature === null) throw notFound('Signature');
  return presentSignature(deps, signature, commit.committer.email);
}

/**
 * Verifies and renders a signature.
 * @param email address of the committer or tagger
 */
export async function presentSignature(deps: Deps, signature: CommitSignature, email: string): Promise<SignatureJson> {
  const verdict = await checkSignature(new KnownKeys(deps.db), signature, email);
  const shown = { ...verdict, commit_source: 'gitaly' };
  if (verdict.signature_type === 'SSH') return { ...shown, key: verdict.key === null ? null : presentKey(verdict.key) };
  return verdict.signature_type === 'X509' ? { ...shown, x509_certificate: null } : { ...shown };
}

const presentKey = ({ id, title, created_at, expires_at, key, usage_type }: SshKey): Static<typeof Key> => ({
  id,
  title,
  created_at,
  expires_at,
  key,
  usage_type,
});
