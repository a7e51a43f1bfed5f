import { hash } from 'node:crypto';
import { type Verification, verifyInThreadPool, verifySync } from '../verification.ts';
import type { PgpKeyMaterial } from './key-material.ts';
import { dearmor, type Packet, Reader, readLength, readPackets, SIGNATURE } from './packets.ts';

/** A parsed, unverified signature. */
export interface PgpSignature {
  /** Signature type: 0x00 for content, 0x10-0x13 for user ids, 0x18 for subkeys, ... */
  type: number;
  algorithm: number;
  /** Digest name for `node:crypto`; null if it is not accepted. */
  digest: string | null;
  /** Final part of the hashed data. */
  trailer: Buffer;
  /** The signature value in the format of its algorithm. */
  value: Buffer;
  /** Id of the signing key, 16 hexadecimal digits in upper case; null if absent. */
  issuer: string | null;
  /** Seconds since 1970. */
  created: number;
  /** Validity in seconds after `created`; 0 for unlimited. */
  expiresAfter: number;
  /** Validity of the key in seconds after its creation; 0 for unlimited. */
  keyExpiresAfter: number;
  /** Usage flags of the key; null if absent. */
  keyFlags: number | null;
  /** An embedded signature, by which a subkey confirms its binding. */
  embedded: PgpSignature | null;
  /** Whether it has an unknown critical subpacket. */
  unknownCritical: boolean;
}

const MAX_ARMOUR = 64 * 1024;
const DIGESTS: Readonly<Record<number, string>> = {
  2: 'sha1',
  8: 'sha256',
  9: 'sha384',
  10: 'sha512',
  11: 'sha224',
  12: 'sha3-256',
  14: 'sha3-512',
};
/** Supported critical subpackets: those that are read here, or are irrelevant for commits. */
const KNOWN = new Set([2, 3, 4, 5, 7, 9, 11, 16, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33]);

type Facts = Pick<
  PgpSignature,
  'issuer' | 'created' | 'expiresAfter' | 'keyExpiresAfter' | 'keyFlags' | 'embedded' | 'unknownCritical'
>;

/** @param hashed false for unsigned subpackets, of which only the issuer is read */
function readSubpackets(bytes: Buffer, facts: Facts, hashed: boolean): void {
  for (let at = 0; at < bytes.length; ) {
    const { length, start } = readLength(bytes, at);
    if (length === 0 || start + length > bytes.length) throw new RangeError('a subpacket that is cut');
    const type = bytes.readUInt8(start) & 0x7f;
    const value = bytes.subarray(start + 1, start + length);
    if (type === 16 && value.length === 8) facts.issuer ??= value.toString('hex').toUpperCase();
    else if (type === 33 && value.length === 21) facts.issuer ??= value.subarray(-8).toString('hex').toUpperCase();
    else if (type === 32) facts.embedded ??= signatureOf({ tag: SIGNATURE, body: value }, false);
    else if (hashed) readFact(type, value, facts);
    if (hashed && (bytes.readUInt8(start) & 0x80) !== 0 && !KNOWN.has(type)) facts.unknownCritical = true;
    at = start + length;
  }
}

function readFact(type: number, value: Buffer, facts: Facts): void {
  if (type === 2) facts.created = value.readUInt32BE();
  else if (type === 3) facts.expiresAfter = value.readUInt32BE();
  else if (type === 9) facts.keyExpiresAfter = value.readUInt32BE();
  else if (type === 27) facts.keyFlags = value.length === 0 ? 0 : value.readUInt8();
}

/**
 * Parses a version 4 signature packet; throws RangeError if it is truncated.
 * @returns null for other packets and versions
 */
export function signatureOf({ tag, body }: Packet, nested = true): PgpSignature | null {
  if (tag !== SIGNATURE || body.readUInt8(0) !== 4) return null;
  const reader = new Reader(body, 1);
  const [type, algorithm, digest] = [reader.byte(), reader.byte(), reader.byte()];
  const hashed = reader.take(reader.uint16());
  const signed = body.subarray(0, 6 + hashed.length);
  const unhashed = reader.take(reader.uint16());
  reader.take(2);
  const facts: Facts = {
    issuer: null,
    created: 0,
    expiresAfter: 0,
    keyExpiresAfter: 0,
    keyFlags: null,
    // Embedded signatures are parsed one level deep.
    embedded: nested ? null : NONE,
    unknownCritical: false,
  };
  readSubpackets(hashed, facts, true);
  readSubpackets(unhashed, facts, false);
  if (facts.embedded === NONE) facts.embedded = null;
  const length = Buffer.alloc(6);
  length.writeUInt16BE(0x04ff);
  length.writeUInt32BE(signed.length, 2);
  return {
    type,
    algorithm,
    digest: DIGESTS[digest] ?? null,
    trailer: Buffer.concat([signed, length]),
    value: body.subarray(10 + hashed.length + unhashed.length),
    ...facts,
  };
}
const NONE = {} as PgpSignature;

/** Whether an armoured text contains several signatures. */
export function hasSeveralSignatures(armoured: string): boolean {
  const bytes = dearmor(armoured, 'SIGNATURE', MAX_ARMOUR);
  if (bytes === null) return false;
  try {
    return readPackets(bytes).filter(({ tag }) => tag === SIGNATURE).length > 1;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** Parses an armoured signature. @returns null if it is invalid, or of another version */
export function readPgpSignature(armoured: string): PgpSignature | null {
  const bytes = dearmor(armoured, 'SIGNATURE', MAX_ARMOUR);
  if (bytes === null) return null;
  try {
    const [first] = readPackets(bytes);
    return first === undefined ? null : signatureOf(first);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

const padded = (number: Buffer, bytes: number): Buffer => {
  const bare = number.subarray(Math.max(0, number.length - bytes));
  return Buffer.concat([Buffer.alloc(bytes - bare.length), bare]);
};

/** Converts a signature value for `node:crypto`; throws RangeError if it is truncated. */
function rawValue({ value }: PgpSignature, material: PgpKeyMaterial): Buffer {
  const reader = new Reader(value);
  if (material.kind === 'rsa') return padded(reader.number(), material.bytes);
  if (material.kind === 'eddsa') return reader.take(2 * material.bytes);
  return Buffer.concat([padded(reader.number(), material.bytes), padded(reader.number(), material.bytes)]);
}

function verification(signature: PgpSignature, content: Buffer, material: PgpKeyMaterial | null): Verification | null {
  const { digest, trailer, algorithm, unknownCritical } = signature;
  if (material === null || digest === null || unknownCritical || algorithm !== material.algorithm) return null;
  const signed = Buffer.concat([content, trailer]);
  const { key, kind } = material;
  try {
    const value = rawValue(signature, material);
    if (kind === 'rsa') return { digest, signed, key, value };
    if (kind === 'ecdsa') return { digest, signed, key: { key, dsaEncoding: 'ieee-p1363' }, value };
    return { digest: null, signed: hash(digest, signed, 'buffer'), key, value };
  } catch {
    // Numbers that are no signature, and truncated fields.
    return null;
  }
}

/** Whether the key made the signature over the content. Usage flags of the key are not checked. */
export function verifyPgpSignature(signature: PgpSignature, content: Buffer, material: PgpKeyMaterial | null): boolean {
  const input = verification(signature, content, material);
  return input !== null && verifySync(input);
}

/** Like `verifyPgpSignature`, in the thread pool, for many signatures. */
export async function verifyPgpSignatureInThreadPool(
  signature: PgpSignature,
  content: Buffer,
  material: PgpKeyMaterial | null,
): Promise<boolean> {
  const input = verification(signature, content, material);
  return input !== null && verifyInThreadPool(input);
}
