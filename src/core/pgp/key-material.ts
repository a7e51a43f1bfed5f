import { createPublicKey, type KeyObject } from 'node:crypto';
import { Reader } from './packets.ts';

/** Parameters of a key that can verify signatures. */
export interface PgpKeyMaterial {
  kind: 'rsa' | 'ecdsa' | 'eddsa' | 'eddsa-legacy';
  /** OpenPGP number of the algorithm. */
  algorithm: number;
  key: KeyObject;
  /** Size of a number in signatures. */
  bytes: number;
}

/** Elliptic curves by their object identifier in hexadecimal. */
const CURVES: Readonly<Record<string, { crv: string; bytes: number }>> = {
  '2a8648ce3d030107': { crv: 'P-256', bytes: 32 },
  '2b81040022': { crv: 'P-384', bytes: 48 },
  '2b81040023': { crv: 'P-521', bytes: 66 },
  '2b8104000a': { crv: 'secp256k1', bytes: 32 },
};
const ED25519 = '2b06010401da470f01';
/** Larger keys and exponents are refused because of their cost. */
const MAX_RSA_BYTES = 1_024;
const MAX_EXPONENT_BYTES = 4;

const keyOf = (jwk: Readonly<Record<string, string>>): KeyObject => createPublicKey({ key: jwk, format: 'jwk' });
const text = (bytes: Buffer): string => bytes.toString('base64url');

function rsa(algorithm: number, reader: Reader): PgpKeyMaterial | null {
  const [n, e] = [reader.number(), reader.number()];
  if (n.length > MAX_RSA_BYTES || e.length > MAX_EXPONENT_BYTES) return null;
  return { kind: 'rsa', algorithm, key: keyOf({ kty: 'RSA', n: text(n), e: text(e) }), bytes: n.length };
}

function ecdsa(algorithm: number, reader: Reader): PgpKeyMaterial | null {
  const curve = CURVES[reader.take(reader.byte()).toString('hex')];
  const point = reader.number();
  if (curve === undefined || point.length !== 1 + 2 * curve.bytes || point[0] !== 4) return null;
  const { crv, bytes } = curve;
  const key = keyOf({ kty: 'EC', crv, x: text(point.subarray(1, 1 + bytes)), y: text(point.subarray(1 + bytes)) });
  return { kind: 'ecdsa', algorithm, key, bytes };
}

function legacyEddsa(algorithm: number, reader: Reader): PgpKeyMaterial | null {
  const oid = reader.take(reader.byte()).toString('hex');
  const point = reader.number();
  if (oid !== ED25519 || point.length !== 33 || point[0] !== 0x40) return null;
  const key = keyOf({ kty: 'OKP', crv: 'Ed25519', x: text(point.subarray(1)) });
  return { kind: 'eddsa-legacy', algorithm, key, bytes: 32 };
}

function eddsa(algorithm: number, reader: Reader, crv: string, length: number): PgpKeyMaterial {
  const key = keyOf({ kty: 'OKP', crv, x: text(reader.take(length)) });
  return { kind: 'eddsa', algorithm, key, bytes: length };
}

/**
 * Parameters of a public key.
 * @param body content of the key packet
 * @returns null for keys that cannot sign, and unsupported algorithms (DSA)
 */
export function materialOf(body: Buffer): PgpKeyMaterial | null {
  const algorithm = body.readUInt8(5);
  const reader = new Reader(body, 6);
  try {
    if (algorithm === 1 || algorithm === 3) return rsa(algorithm, reader);
    if (algorithm === 19) return ecdsa(algorithm, reader);
    if (algorithm === 22) return legacyEddsa(algorithm, reader);
    if (algorithm === 27) return eddsa(algorithm, reader, 'Ed25519', 32);
    if (algorithm === 28) return eddsa(algorithm, reader, 'Ed448', 57);
    return null;
  } catch {
    // Numbers that are no key, and truncated fields.
    return null;
  }
}
