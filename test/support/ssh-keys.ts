import { generateKeyPairSync, hash, type KeyObject, sign } from 'node:crypto';
import { SshReader, sshNumber, sshString, uint32 } from '../../src/core/ssh-fields.ts';

/** A key with which somebody signs in. */
export interface SshTestKey {
  /** As it stands in a request to sign in. */
  algorithm: string;
  /** The key, or the certificate, as it goes over the wire. */
  blob: Buffer;
  /** What it is signed with: a key and the certificate for it have the same. */
  secret: KeyObject;
  /** @returns the signature as it goes over the wire */
  sign(data: Buffer): Buffer;
}

const APPLICATION = Buffer.from('ssh:');
const CURVES = { nistp256: ['P-256', 'sha256'], nistp384: ['P-384', 'sha384'], nistp521: ['P-521', 'sha512'] } as const;
type Curve = keyof typeof CURVES;

const join = (...parts: (Buffer | string)[]): Buffer => Buffer.concat(parts.map(sshString));
const jwkOf = (key: KeyObject) => key.export({ format: 'jwk' });
const bytesOf = (text: string | undefined) => Buffer.from(text!, 'base64url');

function ed25519(): SshTestKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const blob = join('ssh-ed25519', bytesOf(jwkOf(publicKey).x));
  return {
    algorithm: 'ssh-ed25519',
    blob,
    secret: privateKey,
    sign: (data) => join('ssh-ed25519', sign(null, data, privateKey)),
  };
}

/** Both numbers of a signature, as a string of SSH holds them. */
function numbersOf(data: Buffer, key: KeyObject, digest: string): Buffer {
  const both = sign(digest, data, { key, dsaEncoding: 'ieee-p1363' });
  const half = both.length / 2;
  return Buffer.concat([sshNumber(both.subarray(0, half)), sshNumber(both.subarray(half))]);
}

function ecPair(curve: Curve) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: CURVES[curve][0] });
  const { x, y } = jwkOf(publicKey);
  return { privateKey, point: Buffer.concat([Buffer.from([4]), bytesOf(x), bytesOf(y)]) };
}

function ecdsa(curve: Curve): SshTestKey {
  const algorithm = `ecdsa-sha2-${curve}`;
  const { privateKey, point } = ecPair(curve);
  const blob = join(algorithm, curve, point);
  return {
    algorithm,
    blob,
    secret: privateKey,
    sign: (data) => join(algorithm, numbersOf(data, privateKey, CURVES[curve][1])),
  };
}

function rsa(algorithm: 'rsa-sha2-256' | 'rsa-sha2-512'): SshTestKey {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const { e, n } = jwkOf(publicKey);
  const blob = Buffer.concat([sshString('ssh-rsa'), sshNumber(bytesOf(e)), sshNumber(bytesOf(n))]);
  const digest = algorithm.replace('rsa-sha2-', 'sha');
  return { algorithm, blob, secret: privateKey, sign: (data) => join(algorithm, sign(digest, data, privateKey)) };
}

/** A key on a security token: it signs hashes, and that somebody has touched it. */
function onToken(kind: 'ed25519' | 'ecdsa'): SshTestKey {
  const after = Buffer.concat([Buffer.from([1]), uint32(7)]);
  const covered = (data: Buffer) =>
    Buffer.concat([hash('sha256', APPLICATION, 'buffer'), after, hash('sha256', data, 'buffer')]);
  if (kind === 'ed25519') {
    const algorithm = 'sk-ssh-ed25519@openssh.com';
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const blob = join(algorithm, bytesOf(jwkOf(publicKey).x), APPLICATION);
    return {
      algorithm,
      blob,
      secret: privateKey,
      sign: (data) => Buffer.concat([join(algorithm, sign(null, covered(data), privateKey)), after]),
    };
  }
  const algorithm = 'sk-ecdsa-sha2-nistp256@openssh.com';
  const { privateKey, point } = ecPair('nistp256');
  const blob = join(algorithm, 'nistp256', point, APPLICATION);
  return {
    algorithm,
    blob,
    secret: privateKey,
    sign: (data) => Buffer.concat([join(algorithm, numbersOf(covered(data), privateKey, 'sha256')), after]),
  };
}

/** What an authority has signed of a key. */
function certified(key: SshTestKey, authority: SshTestKey): SshTestKey {
  const reader = new SshReader(key.blob);
  const type = reader.text();
  const ending = '-cert-v01@openssh.com';
  const certificateType = `${type.replace('@openssh.com', '')}${ending}`;
  const unsigned = Buffer.concat([
    join(certificateType, Buffer.alloc(32, 5)),
    key.blob.subarray(reader.at),
    Buffer.alloc(8, 1),
    uint32(1),
    join('ann', join('git')),
    Buffer.alloc(8),
    Buffer.alloc(8, 0xff),
    join('', '', '', authority.blob),
  ]);
  const blob = Buffer.concat([unsigned, sshString(authority.sign(unsigned))]);
  const algorithm = `${key.algorithm.replace('@openssh.com', '')}${ending}`;
  return { ...key, algorithm, blob };
}

/** A key of every kind that is taken; the authority has signed the certificates among them. */
export function keysOfAllKinds(): { keys: SshTestKey[]; authority: SshTestKey } {
  const authority = ecdsa('nistp256');
  const plain = [
    ed25519(),
    ecdsa('nistp256'),
    ecdsa('nistp384'),
    ecdsa('nistp521'),
    rsa('rsa-sha2-256'),
    rsa('rsa-sha2-512'),
    onToken('ed25519'),
    onToken('ecdsa'),
  ];
  return { keys: [...plain, ...plain.map((key) => certified(key, authority))], authority };
}
