import { generateKeyPairSync, hash, randomBytes } from 'node:crypto';

/** A pair of Ed25519 keys as OpenSSH reads them. */
export interface SshKeyPair {
  /** One line, as in `authorized_keys`. */
  publicKey: string;
  privateKey: string;
}

const TYPE = 'ssh-ed25519';
const BLOCK = 8;

const text = (value: string | Buffer): Buffer => {
  const bytes = Buffer.from(value as string);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
};

/** Makes a pair of keys, without a passphrase (OpenSSH, `PROTOCOL.key`). */
export function makeSshKeyPair(comment: string): SshKeyPair {
  const { d, x } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const [seed, point] = [Buffer.from(d!, 'base64url'), Buffer.from(x!, 'base64url')];
  const blob = Buffer.concat([text(TYPE), text(point)]);
  const check = randomBytes(4);
  const secret = Buffer.concat([check, check, blob, text(Buffer.concat([seed, point])), text(comment)]);
  const missing = (BLOCK - (secret.length % BLOCK)) % BLOCK;
  const padding = Buffer.from(Array.from({ length: missing }, (_, index) => index + 1));
  const one = Buffer.from([0, 0, 0, 1]);
  const body = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    ...[text('none'), text('none'), text(''), one, text(blob)],
    text(Buffer.concat([secret, padding])),
  ]);
  const lines = body.toString('base64').match(/.{1,70}/g)!;
  return {
    publicKey: `${TYPE} ${blob.toString('base64')} ${comment}`,
    privateKey: ['-----BEGIN OPENSSH PRIVATE KEY-----', ...lines, '-----END OPENSSH PRIVATE KEY-----', ''].join('\n'),
  };
}

/** The fingerprints of the keys in lines of `known_hosts`, as `ssh-keygen -l` prints them. */
export function hostKeyFingerprints(knownHosts: string | null): string[] {
  const keys = (knownHosts ?? '').split('\n').flatMap((line) => line.trim().split(/\s+/)[2] ?? []);
  return keys.map((key) => {
    const digest = hash('sha256', Buffer.from(key, 'base64'), 'base64');
    return `SHA256:${digest.replace(/=+$/, '')}`;
  });
}
