import { createPublicKey, hash } from 'node:crypto';
import { SshReader } from './ssh-fields.ts';
import { type Verification, verifyInThreadPool, verifySync } from './verification.ts';

/** Elliptic curves by key type suffix: JWK name, coordinate size, hash of signatures. */
const CURVES: Readonly<Record<string, { crv: string; bytes: number; digest: string }>> = {
  nistp256: { crv: 'P-256', bytes: 32, digest: 'sha256' },
  nistp384: { crv: 'P-384', bytes: 48, digest: 'sha384' },
  nistp521: { crv: 'P-521', bytes: 66, digest: 'sha512' },
};
const ECDSA = 'ecdsa-sha2-';
const SK_ED25519 = 'sk-ssh-ed25519@openssh.com';
const SK_ECDSA = 'sk-ecdsa-sha2-nistp256@openssh.com';
/** Flag: the user has touched the security token. */
const USER_PRESENT = 1;

/** Supported signature formats, in order of preference. */
export const SSH_SIGNATURES: readonly string[] = [
  'ssh-ed25519',
  SK_ED25519,
  ...Object.keys(CURVES).map((curve) => `${ECDSA}${curve}`),
  SK_ECDSA,
  'rsa-sha2-512',
  'rsa-sha2-256',
];

/** Pads an SSH number to a fixed width. @throws RangeError for a negative one */
function fixedWidth(number: Buffer, bytes: number): Buffer {
  if (number.length > 0 && number[0]! >= 0x80) throw new RangeError('a number that is negative');
  const first = number.findIndex((byte) => byte !== 0);
  const bare = first === -1 ? Buffer.alloc(0) : number.subarray(first);
  if (bare.length > bytes) throw new RangeError('a number that is too long');
  return Buffer.concat([Buffer.alloc(bytes - bare.length), bare]);
}

const keyOf = (key: Record<string, string>) => createPublicKey({ key, format: 'jwk' });

/** Pads an RSA signature whose leading zeros were omitted, which OpenSSH accepts as well. */
function asLongAsModulus(signature: Buffer, modulus: Buffer): Buffer {
  const missing = modulus.length - modulus.findIndex((byte) => byte !== 0) - signature.length;
  return missing > 0 ? Buffer.concat([Buffer.alloc(missing), signature]) : signature;
}

function byRsa(key: SshReader, format: string, signature: SshReader, signed: Buffer): Verification {
  const [e, n] = [key.string(), key.string()];
  const digest = format.replace('rsa-sha2-', 'sha');
  const value = asLongAsModulus(signature.string(), n);
  return { digest, signed, key: keyOf({ kty: 'RSA', e: e.toString('base64url'), n: n.toString('base64url') }), value };
}

function byEcdsa(key: SshReader, name: string, signature: SshReader, signed: Buffer): Verification | null {
  const curve = CURVES[name];
  if (curve === undefined || key.text() !== name) return null;
  const { crv, bytes, digest } = curve;
  const point = key.string();
  if (point.length !== 1 + 2 * bytes || point[0] !== 4) return null;
  const x = point.subarray(1, 1 + bytes).toString('base64url');
  const y = point.subarray(1 + bytes).toString('base64url');
  const numbers = new SshReader(signature.string());
  const value = Buffer.concat([fixedWidth(numbers.string(), bytes), fixedWidth(numbers.string(), bytes)]);
  if (!numbers.ended) return null;
  return { digest, signed, key: { key: keyOf({ kty: 'EC', crv, x, y }), dsaEncoding: 'ieee-p1363' }, value };
}

function byEd25519(key: SshReader, signature: SshReader, signed: Buffer): Verification {
  const x = key.string().toString('base64url');
  return { digest: null, signed, key: keyOf({ kty: 'OKP', crv: 'Ed25519', x }), value: signature.string() };
}

/** The data that a security token signs instead of the text (OpenSSH, `PROTOCOL.u2f`); null if it was not touched. */
function signedByToken(application: Buffer, signature: SshReader, signed: Buffer): Buffer | null {
  const flags = signature.bytes(1);
  const counter = signature.bytes(4);
  if ((flags[0]! & USER_PRESENT) === 0 || !signature.ended) return null;
  return Buffer.concat([hash('sha256', application, 'buffer'), flags, counter, hash('sha256', signed, 'buffer')]);
}

function byToken(type: string, key: Buffer, signature: Buffer, signed: Buffer): Verification | null {
  const parts = new SshReader(key);
  for (let left = type === SK_ECDSA ? 3 : 2; left > 0; left -= 1) parts.string();
  const application = parts.string();
  if (!parts.ended) return null;
  const after = new SshReader(signature);
  after.string();
  after.string();
  const text = signedByToken(application, after, signed);
  if (text === null) return null;
  const [fields, inner] = [new SshReader(key), new SshReader(signature)];
  fields.string();
  inner.string();
  return type === SK_ECDSA ? byEcdsa(fields, 'nistp256', inner, text) : byEd25519(fields, inner, text);
}

/** Null also for trailing data in the key or signature, so that everything is verified. */
function read(publicKey: Buffer, signature: Buffer, signed: Buffer): Verification | null {
  const key = new SshReader(publicKey);
  const type = key.text();
  const fields = new SshReader(signature);
  const format = fields.text();
  if (!SSH_SIGNATURES.includes(format)) return null;
  if (type === SK_ED25519 || type === SK_ECDSA) {
    return format === type ? byToken(type, publicKey, signature, signed) : null;
  }
  const input = readPlain(type, format, key, fields, signed);
  return key.ended && fields.ended ? input : null;
}

function readPlain(
  type: string,
  format: string,
  key: SshReader,
  fields: SshReader,
  signed: Buffer,
): Verification | null {
  if (type === 'ssh-rsa') return format.startsWith('rsa-') ? byRsa(key, format, fields, signed) : null;
  if (format !== type) return null;
  if (type === 'ssh-ed25519') return byEd25519(key, fields, signed);
  return byEcdsa(key, type.slice(ECDSA.length), fields, signed);
}

function verification(publicKey: Buffer, signature: Buffer, signed: Buffer): Verification | null {
  try {
    return read(publicKey, signature, signed);
  } catch {
    // Numbers that are no key, and truncated fields.
    return null;
  }
}

/**
 * Whether a key signed these bytes (RFC 4253, 5656, 8332, 8709). SHA-1 and DSA signatures are refused.
 * @param publicKey in wire format
 * @param signature in wire format
 */
export function verifySshSignature(publicKey: Buffer, signature: Buffer, signed: Buffer): boolean {
  const input = verification(publicKey, signature, signed);
  return input !== null && verifySync(input);
}

/** Like `verifySshSignature`, in the thread pool, for many signatures. */
export async function verifySshSignatureInThreadPool(
  publicKey: Buffer,
  signature: Buffer,
  signed: Buffer,
): Promise<boolean> {
  const input = verification(publicKey, signature, signed);
  return input !== null && verifyInThreadPool(input);
}
