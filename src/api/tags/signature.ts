import type { Static } from 'typebox';
import type { Ref } from '../../git/refs.ts';
import type { Repository } from '../../git/repository.ts';
import type { TagSignature } from './schema.ts';

/** What the signature of an annotated tag is; null for a tag without one, or of no known kind. */
export async function signatureOfTag(repo: Repository, ref: Ref): Promise<Static<typeof TagSignature> | null> {
  const tag = (await repo.objects.commit(ref.oid)) === null ? await repo.objects.tag(ref.oid) : null;
  const armour = tag?.signature?.split('\n', 1)[0] ?? '';
  if (/^-----BEGIN PGP (?:SIGNATURE|MESSAGE)-----/.test(armour)) {
    return { signature_type: 'PGP', verification_status: 'unknown_key' };
  }
  if (armour.startsWith('-----BEGIN SSH SIGNATURE-----')) {
    return { signature_type: 'SSH', verification_status: 'unknown_key' };
  }
  if (armour.startsWith('-----BEGIN SIGNED MESSAGE-----')) {
    return { signature_type: 'X509', verification_status: 'unverified' };
  }
  return null;
}
