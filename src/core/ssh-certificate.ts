import { SshReader, sshString } from './ssh-fields.ts';

/** A certificate of OpenSSH (its `PROTOCOL.certkeys`), read; whether it is good is for others to say. */
export interface Certificate {
  /** The key that it is for, as it goes over the wire without a certificate. */
  key: Buffer;
  serial: bigint;
  kind: 'user' | 'host' | 'unknown';
  keyId: string;
  /** As whom its bearer may sign in; empty for anybody. */
  principals: string[];
  /** Seconds since 1970, the second one no part of it. */
  validAfter: bigint;
  validBefore: bigint;
  /** What must hold, by name; each has a value of its own. */
  criticalOptions: Map<string, Buffer>;
  /** The key that has signed it, as it goes over the wire. */
  authority: Buffer;
  signature: Buffer;
  /** The bytes that were signed. */
  signed: Buffer;
}

const SUFFIX = '-cert-v01@openssh.com';
/** How many strings of a plain key stand after its type, by the type. */
const KEY_FIELDS: Readonly<Record<string, number>> = {
  'ssh-rsa': 2,
  'ssh-ed25519': 1,
  'ecdsa-sha2-nistp256': 2,
  'ecdsa-sha2-nistp384': 2,
  'ecdsa-sha2-nistp521': 2,
  'sk-ssh-ed25519@openssh.com': 2,
  'sk-ecdsa-sha2-nistp256@openssh.com': 3,
};
const MAX_BYTES = 32 * 1024;
const MAX_PRINCIPALS = 256;
const MAX_OPTIONS = 64;

/** Whether what a client shows is a certificate and no plain key. @throws RangeError for neither */
export const isCertificate = (blob: Buffer): boolean => new SshReader(blob).text().endsWith(SUFFIX);

/** Types of plain keys by those of their certificates. */
function plainType(type: string): string {
  const bare = type.slice(0, -SUFFIX.length);
  return bare.startsWith('sk-') ? `${bare}@openssh.com` : bare;
}

/** The key in a certificate. @throws RangeError for what is none */
export const certifiedKey = (blob: Buffer): Buffer => readKey(blob).key;

function readKey(blob: Buffer): { key: Buffer; reader: SshReader } {
  if (blob.length > MAX_BYTES) throw new RangeError('a certificate that is too long');
  const reader = new SshReader(blob);
  const type = plainType(reader.text());
  const fields = Object.hasOwn(KEY_FIELDS, type) ? KEY_FIELDS[type]! : undefined;
  if (fields === undefined) throw new RangeError('a certificate of an unknown kind');
  reader.string();
  const parts = Array.from({ length: fields }, () => sshString(reader.string()));
  return { key: Buffer.concat([sshString(type), ...parts]), reader };
}

/** @throws RangeError for what is no certificate, to its last byte */
export function readCertificate(blob: Buffer): Certificate {
  const { key, reader } = readKey(blob);
  const serial = reader.uint64();
  const number = reader.uint32();
  const keyId = reader.string().toString('utf8');
  const principals = stringsOf(reader.string(), MAX_PRINCIPALS).map((each) => each.toString('utf8'));
  const validAfter = reader.uint64();
  const validBefore = reader.uint64();
  const options = stringsOf(reader.string(), 2 * MAX_OPTIONS);
  if (options.length % 2 !== 0) throw new RangeError('an option without a value');
  stringsOf(reader.string(), 2 * MAX_OPTIONS);
  reader.string();
  const authority = reader.string();
  const signed = blob.subarray(0, reader.at);
  const signature = reader.string();
  if (!reader.ended) throw new RangeError('more than a certificate');
  const criticalOptions = new Map<string, Buffer>();
  for (let at = 0; at < options.length; at += 2) criticalOptions.set(options[at]!.toString('latin1'), options[at + 1]!);
  if (criticalOptions.size * 2 !== options.length) throw new RangeError('an option that stands there twice');
  const kind = number === 1 ? 'user' : number === 2 ? 'host' : 'unknown';
  return {
    key,
    serial,
    kind,
    keyId,
    principals,
    validAfter,
    validBefore,
    criticalOptions,
    authority,
    signature,
    signed,
  };
}

function stringsOf(bytes: Buffer, limit: number): Buffer[] {
  const reader = new SshReader(bytes);
  const found: Buffer[] = [];
  while (!reader.ended) {
    found.push(reader.string());
    if (found.length > limit) throw new RangeError('a list that is too long');
  }
  return found;
}
