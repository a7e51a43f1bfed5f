import { hash } from 'node:crypto';
import { materialOf, type PgpKeyMaterial } from './key-material.ts';
import { dearmor, type Packet, PUBLIC_KEY, PUBLIC_SUBKEY, readPackets, SIGNATURE, USER_ID } from './packets.ts';
import { type PgpSignature, signatureOf, verifyPgpSignature, verifyPgpSignatureInThreadPool } from './pgp.signature.ts';

/** A key or subkey. */
export interface PgpSigningKey {
  /** 16 hexadecimal digits in upper case. */
  keyid: string;
  material: PgpKeyMaterial | null;
  /** Validity in seconds since 1970. */
  from: number;
  until: number;
  /** Whether it may sign, and is not revoked. */
  signs: boolean;
}

/** A public key with its valid self-signatures. */
export interface PgpPublicKey {
  /** Hexadecimal digits in upper case. */
  fingerprint: string;
  keyid: string;
  /** The primary key, then its subkeys. */
  keys: readonly PgpSigningKey[];
  /** User ids in the order of the key, as written. */
  userIds: readonly { name: string; email: string }[];
}

const MAX_ARMOUR = 512 * 1024;
/** Maximum number of self-signatures verified. */
const MAX_CHECKS = 100;
const SIGNS = 0x02;

const header = (body: Buffer): Buffer => {
  const bytes = Buffer.from([0x99, 0, 0]);
  bytes.writeUInt16BE(body.length, 1);
  return Buffer.concat([bytes, body]);
};
const fingerprintOf = (body: Buffer): string => hash('sha1', header(body), 'hex').toUpperCase();
const keyidOf = (body: Buffer): string => fingerprintOf(body).slice(-16);

/** A packet of a key with the signatures that follow it. */
interface Part {
  packet: Packet;
  signatures: PgpSignature[];
}

function partsOf(packets: readonly Packet[]): Part[] {
  const parts: Part[] = [];
  for (const packet of packets) {
    // Only the first of several keys is read.
    if (packet.tag === PUBLIC_KEY && parts.length > 0) break;
    if (packet.tag !== SIGNATURE) parts.push({ packet, signatures: [] });
    else {
      const signature = signatureOf(packet);
      if (signature !== null) parts.at(-1)?.signatures.push(signature);
    }
  }
  return parts;
}

/** Verifies self-signatures of a key. */
class SelfChecks {
  readonly keyid: string;
  readonly #body: Buffer;
  readonly #material: PgpKeyMaterial | null;
  #left = MAX_CHECKS;

  constructor(body: Buffer) {
    this.#body = body;
    this.keyid = keyidOf(body);
    this.#material = materialOf(body);
  }

  /** The valid self-signatures over the key and `more`, latest first. */
  valid(signatures: readonly PgpSignature[], types: readonly number[], more: Buffer): PgpSignature[] {
    const content = Buffer.concat([header(this.#body), more]);
    return signatures
      .filter(({ type, issuer }) => types.includes(type) && (issuer === null || issuer === this.keyid))
      .filter((signature) => {
        this.#left -= 1;
        return this.#left >= 0 && verifyPgpSignature(signature, content, this.#material);
      })
      .sort((a, b) => b.created - a.created);
  }

  /** Whether a signing subkey has confirmed its binding to the primary key. */
  isBoundBack(binding: PgpSignature, subkey: Buffer): boolean {
    const { embedded } = binding;
    const content = Buffer.concat([header(this.#body), header(subkey)]);
    return embedded?.type === 0x19 && verifyPgpSignature(embedded, content, materialOf(subkey));
  }
}

const lifeOf = (body: Buffer, signature: PgpSignature | undefined): Pick<PgpSigningKey, 'from' | 'until'> => {
  const from = body.readUInt32BE(1);
  const after = signature?.keyExpiresAfter ?? 0;
  return { from, until: after === 0 ? Number.POSITIVE_INFINITY : from + after };
};

function subkeyOf({ packet: { body }, signatures }: Part, checks: SelfChecks): PgpSigningKey | null {
  if (body.readUInt8(0) !== 4) return null;
  const [binding] = checks.valid(signatures, [0x18], header(body));
  if (binding === undefined) return null;
  const revoked = checks.valid(signatures, [0x28], header(body)).length > 0;
  const may = ((binding.keyFlags ?? 0) & SIGNS) !== 0 && checks.isBoundBack(binding, body);
  return { keyid: keyidOf(body), material: materialOf(body), ...lifeOf(body, binding), signs: may && !revoked };
}

/** A user id with its latest self-signature; null if that is missing or revoked. */
function identityOf({ packet: { body }, signatures }: Part, checks: SelfChecks) {
  const length = Buffer.from([0xb4, 0, 0, 0, 0]);
  length.writeUInt32BE(body.length, 1);
  const content = Buffer.concat([length, body]);
  const [signature] = checks.valid(signatures, [0x10, 0x11, 0x12, 0x13], content);
  const [taken] = checks.valid(signatures, [0x30], content);
  if (signature === undefined || (taken !== undefined && taken.created >= signature.created)) return null;
  const text = body.toString('utf8').toWellFormed();
  const match = /^(.*?)\s*<([^<>]+)>\s*$/.exec(text);
  const name = (match?.[1] ?? text).trim();
  return { signature, name, email: match?.[2] ?? (text.includes('@') ? text.trim() : '') };
}

/**
 * Parses an armoured public key of version 4, as exported by GnuPG. Parts without a valid self-signature are ignored.
 * @returns null if it is not such a key
 */
export function readPgpKey(armoured: string): PgpPublicKey | null {
  const bytes = dearmor(armoured, 'PUBLIC KEY BLOCK', MAX_ARMOUR);
  if (bytes === null) return null;
  try {
    return keyFrom(partsOf(readPackets(bytes)));
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function keyFrom([primary, ...parts]: Part[]): PgpPublicKey | null {
  if (primary === undefined || primary.packet.tag !== PUBLIC_KEY) return null;
  const { body } = primary.packet;
  if (body.length < 7 || body.readUInt8(0) !== 4) return null;
  const checks = new SelfChecks(body);
  const nothing = Buffer.alloc(0);
  const revoked = checks.valid(primary.signatures, [0x20], nothing).length > 0;
  const [direct] = checks.valid(primary.signatures, [0x1f], nothing);
  const identities = parts
    .filter(({ packet }) => packet.tag === USER_ID)
    .flatMap((part) => identityOf(part, checks) ?? []);
  const newest = identities.map(({ signature }) => signature).sort((a, b) => b.created - a.created)[0];
  const signature = newest ?? direct;
  if (signature === undefined) return null;
  const flags = signature.keyFlags ?? direct?.keyFlags;
  const own: PgpSigningKey = {
    keyid: checks.keyid,
    material: materialOf(body),
    ...lifeOf(body, signature),
    // A key without usage flags may do everything.
    signs: !revoked && ((flags ?? SIGNS) & SIGNS) !== 0,
  };
  const subkeys = parts
    .filter(({ packet }) => packet.tag === PUBLIC_SUBKEY)
    .flatMap((part) => subkeyOf(part, checks) ?? []);
  return {
    fingerprint: fingerprintOf(body),
    keyid: checks.keyid,
    // Subkeys of a revoked or expired key are invalid as well.
    keys: [
      own,
      ...subkeys.map((key) => ({ ...key, signs: key.signs && !revoked, until: Math.min(key.until, own.until) })),
    ],
    userIds: identities.map(({ name, email }) => ({ name, email })),
  };
}

/**
 * Whether a key signed a payload at a time when it was valid; verified in the thread pool. SHA-1 signatures of content
 * are refused.
 * @param payload the signed bytes
 */
export async function isSignedBy(key: PgpPublicKey, signature: PgpSignature, payload: Buffer): Promise<boolean> {
  const { type, digest, created, expiresAfter, issuer } = signature;
  if ((type !== 0 && type !== 1) || digest === 'sha1' || expiresAfter !== 0) return false;
  const maker = key.keys.find(({ keyid }) => keyid === issuer);
  if (maker === undefined || !maker.signs || created < maker.from || created >= maker.until) return false;
  return verifyPgpSignatureInThreadPool(signature, payload, maker.material);
}
