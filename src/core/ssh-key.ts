import { createPublicKey, hash } from 'node:crypto';
import { SshReader } from './ssh-fields.ts';

/** A public key in OpenSSH's one-line format: type, base64 body, comment. */
export interface SshPublicKey {
  type: string;
  /** Size of the key in bits. */
  bits: number;
  /** Free text after the key; empty when there is none. */
  comment: string;
  /** The normalized line, with single spaces and without surrounding blanks: stored and shown. */
  line: string;
  /** `SHA256:` with base64 without padding, as `ssh-keygen -l` prints it. */
  sha256: string;
  /** Pairs of hexadecimal digits with colons, without a prefix. */
  md5: string;
}

/** An invalid or unsupported key; `message` is worded like a model validation of the field `key`. */
export class SshKeyError extends Error {
  override name = 'SshKeyError';
}

const MAX_LINE = 16_384;
const MIN_RSA_BITS = 2_048;
const MAX_RSA_BITS = 16_384;

const CURVES: Record<string, { crv: string; bytes: number; bits: number }> = {
  nistp256: { crv: 'P-256', bytes: 32, bits: 256 },
  nistp384: { crv: 'P-384', bytes: 48, bits: 384 },
  nistp521: { crv: 'P-521', bytes: 66, bits: 521 },
};

const invalid = () => new SshKeyError('is invalid');

/** The bytes of a positive number without the leading zero of its sign. */
function positive(field: Buffer): Buffer {
  if (field.length === 0 || field[0]! >= 0x80) throw invalid();
  if (field[0] !== 0) return field;
  if (field.length < 2 || field[1]! < 0x80) throw invalid();
  return field.subarray(1);
}

const bitLength = (number: Buffer): number => number.length * 8 - Math.clz32(number[0]!) + 24;

function rsaBits(fields: SshReader): number {
  const exponent = positive(fields.string());
  const modulus = positive(fields.string());
  const bits = bitLength(modulus);
  if (exponent.at(-1)! % 2 === 0 || modulus.at(-1)! % 2 === 0 || bits > MAX_RSA_BITS) throw invalid();
  if (exponent.length > 8 || (exponent.length === 1 && exponent[0] === 1)) throw invalid();
  if (bits < MIN_RSA_BITS) throw new SshKeyError(`length must be at least ${MIN_RSA_BITS} bits`);
  return bits;
}

function ecdsaBits(fields: SshReader, name: string): number {
  const curve = CURVES[name];
  if (curve === undefined || fields.text() !== name) throw invalid();
  const point = fields.string();
  if (point.length !== 1 + 2 * curve.bytes || point[0] !== 4) throw invalid();
  const x = point.subarray(1, 1 + curve.bytes).toString('base64url');
  const y = point.subarray(1 + curve.bytes).toString('base64url');
  try {
    createPublicKey({ key: { kty: 'EC', crv: curve.crv, x, y }, format: 'jwk' });
  } catch {
    throw invalid();
  }
  return curve.bits;
}

function ed25519Bits(fields: SshReader): number {
  if (fields.string().length !== 32) throw invalid();
  return 256;
}

/** Keys on security tokens also contain the application. */
function onToken(bits: number, fields: SshReader): number {
  if (fields.string().length === 0) throw invalid();
  return bits;
}

const TYPES: Record<string, (fields: SshReader) => number> = {
  'ssh-rsa': rsaBits,
  'ssh-ed25519': ed25519Bits,
  'ecdsa-sha2-nistp256': (fields) => ecdsaBits(fields, 'nistp256'),
  'ecdsa-sha2-nistp384': (fields) => ecdsaBits(fields, 'nistp384'),
  'ecdsa-sha2-nistp521': (fields) => ecdsaBits(fields, 'nistp521'),
  'sk-ssh-ed25519@openssh.com': (fields) => onToken(ed25519Bits(fields), fields),
  'sk-ecdsa-sha2-nistp256@openssh.com': (fields) => onToken(ecdsaBits(fields, 'nistp256'), fields),
};

/** @throws SshKeyError if the body does not match its type, including trailing bytes */
function bitsOf(type: string, body: Buffer, readBits: (fields: SshReader) => number): number {
  try {
    const fields = new SshReader(body);
    if (fields.text() !== type) throw invalid();
    const bits = readBits(fields);
    if (!fields.ended) throw invalid();
    return bits;
  } catch (error) {
    throw error instanceof RangeError ? invalid() : error;
  }
}

/**
 * Parses a public key in OpenSSH's format (RFC 4253, section 6.6).
 * @param text the line as entered; surrounding blanks are ignored
 * @throws SshKeyError for anything else: other types (DSA, certificates), leading options, several lines, RSA below
 *   2048 bits, a body that does not match its type
 */
export function parseSshKey(text: string): SshPublicKey {
  const trimmed = text.trim();
  if (trimmed.length > MAX_LINE || /[\r\n\0]/.test(trimmed)) throw invalid();
  const match = /^(\S+)[ \t]+([A-Za-z0-9+/]+={0,2})(?:[ \t]+(.*))?$/.exec(trimmed);
  if (match === null) throw invalid();
  const [, type = '', body = '', comment = ''] = match;
  if (type === 'ssh-dss') {
    throw new SshKeyError('type is forbidden. Must be RSA, ECDSA, ED25519, ECDSA_SK, or ED25519_SK');
  }
  const readBits = Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
  if (readBits === undefined) throw invalid();
  const bytes = Buffer.from(body, 'base64');
  if (bytes.toString('base64').replace(/=+$/, '') !== body.replace(/=+$/, '')) throw invalid();
  return {
    type,
    bits: bitsOf(type, bytes, readBits),
    comment,
    line: [type, bytes.toString('base64'), comment].filter(Boolean).join(' '),
    sha256: `SHA256:${hash('sha256', bytes, 'base64').replace(/=+$/, '')}`,
    md5: hash('md5', bytes, 'hex').replace(/..(?!$)/g, '$&:'),
  };
}
