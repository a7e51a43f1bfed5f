import { createPublicKey, hash, type KeyObject, verify } from 'node:crypto';

/** An SSH signature, read and checked against the key it names. */
export interface SshSignature {
  /** `SHA256:` of the key it was made with, with base64 without padding. */
  fingerprint: string;
  /** Whether that key signed these bytes, for git. */
  valid: boolean;
}

const ARMOUR = /^-----BEGIN SSH SIGNATURE-----\n([A-Za-z0-9+/=\n]+)-----END SSH SIGNATURE-----\s*$/;
const MAX_LENGTH = 64 * 1024;
const MAGIC = Buffer.from('SSHSIG');
const NAMESPACE = 'git';

/** Elliptic curves by the last part of the key's type: JWK name, bytes of a coordinate, hash of the signature. */
const CURVES: Readonly<Record<string, { crv: string; bytes: number; digest: string }>> = {
  nistp256: { crv: 'P-256', bytes: 32, digest: 'sha256' },
  nistp384: { crv: 'P-384', bytes: 48, digest: 'sha384' },
  nistp521: { crv: 'P-521', bytes: 66, digest: 'sha512' },
};

/** Reads length-prefixed fields (RFC 4251, section 5); throws RangeError past the end. */
class Fields {
  readonly #bytes: Buffer;
  #at: number;

  constructor(bytes: Buffer, at = 0) {
    this.#bytes = bytes;
    this.#at = at;
  }

  number(): number {
    const value = this.#bytes.readUInt32BE(this.#at);
    this.#at += 4;
    return value;
  }

  next(): Buffer {
    const length = this.number();
    if (this.#at + length > this.#bytes.length) throw new RangeError('a field that is too long');
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  text(): string {
    return this.next().toString('latin1');
  }
}

const withLength = (bytes: Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
};

/** A number as fixed width wants it: without leading zeros that SSH adds, filled up to the left. */
function fixedWidth(number: Buffer, bytes: number): Buffer {
  const bare = number.subarray(number.findIndex((byte) => byte !== 0));
  if (bare.length > bytes) throw new RangeError('a number that is too long');
  return Buffer.concat([Buffer.alloc(bytes - bare.length), bare]);
}

function rsaKey(fields: Fields): KeyObject {
  const e = fields.next().toString('base64url');
  const n = fields.next().toString('base64url');
  return createPublicKey({ key: { kty: 'RSA', e, n }, format: 'jwk' });
}

function checkRsa(key: Fields, format: string, signature: Fields, signed: Buffer): boolean {
  if (format !== 'rsa-sha2-256' && format !== 'rsa-sha2-512') return false;
  return verify(format.replace('rsa-sha2-', 'sha'), signed, rsaKey(key), signature.next());
}

function checkEcdsa(key: Fields, name: string, signature: Fields, signed: Buffer): boolean {
  const curve = CURVES[name];
  if (curve === undefined || key.text() !== name) return false;
  const { crv, bytes, digest } = curve;
  const point = key.next();
  if (point.length !== 1 + 2 * bytes || point[0] !== 4) return false;
  const x = point.subarray(1, 1 + bytes).toString('base64url');
  const y = point.subarray(1 + bytes).toString('base64url');
  const publicKey = createPublicKey({ key: { kty: 'EC', crv, x, y }, format: 'jwk' });
  const numbers = new Fields(signature.next());
  const raw = Buffer.concat([fixedWidth(numbers.next(), bytes), fixedWidth(numbers.next(), bytes)]);
  return verify(digest, signed, { key: publicKey, dsaEncoding: 'ieee-p1363' }, raw);
}

function checkEd25519(key: Fields, signature: Fields, signed: Buffer): boolean {
  const x = key.next().toString('base64url');
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, signed, publicKey, signature.next());
}

/** Keys on security tokens sign something else, and are not checked: their signatures count as not valid. */
function checkSignature(publicKey: Buffer, signature: Buffer, signed: Buffer): boolean {
  const key = new Fields(publicKey);
  const type = key.text();
  const fields = new Fields(signature);
  const format = fields.text();
  if (type === 'ssh-rsa') return checkRsa(key, format, fields, signed);
  if (format !== type) return false;
  if (type === 'ssh-ed25519') return checkEd25519(key, fields, signed);
  return type.startsWith('ecdsa-sha2-') && checkEcdsa(key, type.slice('ecdsa-sha2-'.length), fields, signed);
}

/**
 * Reads an armoured SSH signature (OpenSSH's PROTOCOL.sshsig) and checks it.
 * @param payload the bytes that were signed
 * @returns null where the text is no such signature
 */
export function readSshSignature(armoured: string, payload: Buffer): SshSignature | null {
  const match = armoured.length > MAX_LENGTH ? null : ARMOUR.exec(armoured);
  if (match === null) return null;
  const bytes = Buffer.from(match[1]!, 'base64');
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) return null;
  try {
    const fields = new Fields(bytes, MAGIC.length);
    if (fields.number() !== 1) return null;
    const publicKey = fields.next();
    const [namespace, reserved, algorithm, signature] = [fields.next(), fields.next(), fields.text(), fields.next()];
    const fingerprint = `SHA256:${hash('sha256', publicKey, 'base64').replace(/=+$/, '')}`;
    if (namespace.toString('latin1') !== NAMESPACE || (algorithm !== 'sha256' && algorithm !== 'sha512')) {
      return { fingerprint, valid: false };
    }
    const digest = hash(algorithm, payload, 'buffer');
    const parts = [namespace, reserved, Buffer.from(algorithm), digest].map(withLength);
    return { fingerprint, valid: isValid(publicKey, signature, Buffer.concat([MAGIC, ...parts])) };
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function isValid(publicKey: Buffer, signature: Buffer, signed: Buffer): boolean {
  try {
    return checkSignature(publicKey, signature, signed);
  } catch {
    // Numbers that are no key, and fields that end too early.
    return false;
  }
}
