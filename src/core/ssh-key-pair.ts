import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { sshNumber, sshString, uint32 } from './ssh-fields.ts';

/** A key pair in OpenSSH's formats. */
export interface SshKeyPair {
  /** One line, as in `authorized_keys`. */
  publicKey: string;
  privateKey: string;
}

const BLOCK = 8;

/** Public key, and the additional fields of the private key. */
interface Made {
  type: string;
  blob: Buffer;
  secret: Buffer;
}

function makeEd25519(): Made {
  const { d, x } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const [seed, point] = [Buffer.from(d!, 'base64url'), Buffer.from(x!, 'base64url')];
  const type = 'ssh-ed25519';
  const blob = Buffer.concat([sshString(type), sshString(point)]);
  return { type, blob, secret: sshString(Buffer.concat([seed, point])) };
}

function makeEcdsa(): Made {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const { d, x, y } = privateKey.export({ format: 'jwk' });
  const [number, left, right] = [d!, x!, y!].map((part) => Buffer.from(part, 'base64url'));
  const type = 'ecdsa-sha2-nistp256';
  const point = Buffer.concat([Buffer.from([4]), left!, right!]);
  const blob = Buffer.concat([sshString(type), sshString('nistp256'), sshString(point)]);
  return { type, blob, secret: sshNumber(number!) };
}

/** Creates a key pair without a passphrase (OpenSSH, `PROTOCOL.key`). */
export function makeSshKeyPair(comment: string, kind: 'ed25519' | 'ecdsa' = 'ed25519'): SshKeyPair {
  const { type, blob, secret } = kind === 'ed25519' ? makeEd25519() : makeEcdsa();
  const check = randomBytes(4);
  const inner = Buffer.concat([check, check, blob, secret, sshString(comment)]);
  const missing = (BLOCK - (inner.length % BLOCK)) % BLOCK;
  const padding = Buffer.from(Array.from({ length: missing }, (_, index) => index + 1));
  const body = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    ...['none', 'none', ''].map(sshString),
    uint32(1),
    sshString(blob),
    sshString(Buffer.concat([inner, padding])),
  ]);
  const lines = body.toString('base64').match(/.{1,70}/g)!;
  return {
    publicKey: `${type} ${blob.toString('base64')} ${comment}`,
    privateKey: ['-----BEGIN OPENSSH PRIVATE KEY-----', ...lines, '-----END OPENSSH PRIVATE KEY-----', ''].join('\n'),
  };
}
