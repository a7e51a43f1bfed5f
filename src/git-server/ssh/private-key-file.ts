import { createPrivateKey, type KeyObject } from 'node:crypto';
import { SshReader } from '../../core/ssh-fields.ts';

const ARMOUR = /^-----BEGIN OPENSSH PRIVATE KEY-----\s+([A-Za-z0-9+/=\s]+?)\s*-----END OPENSSH PRIVATE KEY-----\s*$/;
const MAGIC = Buffer.from('openssh-key-v1\0');
const CURVES: Readonly<Record<string, { crv: string; bytes: number }>> = {
  'ecdsa-sha2-nistp256': { crv: 'P-256', bytes: 32 },
  'ecdsa-sha2-nistp384': { crv: 'P-384', bytes: 48 },
  'ecdsa-sha2-nistp521': { crv: 'P-521', bytes: 66 },
};

/** A private key with its public key in wire format. */
export interface PrivateKey {
  key: KeyObject;
  blob: Buffer;
}

/**
 * Reads a private key in OpenSSH format (`PROTOCOL.key`): Ed25519 or ECDSA, without a passphrase.
 * @throws Error with the reason
 */
export function readPrivateKey(text: string): PrivateKey {
  const match = ARMOUR.exec(text);
  if (match === null) throw new Error('it is not a private key in OpenSSH format');
  const bytes = Buffer.from(match[1]!, 'base64');
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) throw new Error('it is not a private key in OpenSSH format');
  try {
    const fields = new SshReader(bytes, MAGIC.length);
    if (fields.text() !== 'none') throw new Error('it has a passphrase');
    fields.string();
    fields.string();
    if (fields.uint32() !== 1) throw new Error('it contains several keys');
    const blob = Buffer.from(fields.string());
    const secret = new SshReader(fields.string());
    const check = secret.uint32();
    if (secret.uint32() !== check) throw new Error('it is damaged');
    return { key: readSecret(secret), blob };
  } catch (error) {
    throw error instanceof RangeError ? new Error('it is damaged') : error;
  }
}

function readSecret(secret: SshReader): KeyObject {
  const type = secret.text();
  if (type === 'ssh-ed25519') {
    const x = secret.string().toString('base64url');
    const d = secret.string().subarray(0, 32).toString('base64url');
    return createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', x, d }, format: 'jwk' });
  }
  const curve = CURVES[type];
  if (curve === undefined) throw new Error(`its type is ${type}; use an Ed25519 or ECDSA key`);
  secret.string();
  const point = secret.string();
  const number = secret.string();
  const d = Buffer.concat([Buffer.alloc(curve.bytes), number]).subarray(-curve.bytes);
  const x = point.subarray(1, 1 + curve.bytes).toString('base64url');
  const y = point.subarray(1 + curve.bytes).toString('base64url');
  return createPrivateKey({ key: { kty: 'EC', crv: curve.crv, x, y, d: d.toString('base64url') }, format: 'jwk' });
}
