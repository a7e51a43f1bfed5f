import { SshReader, sshString } from './ssh-fields.ts';

/** A parsed OpenSSH certificate (`PROTOCOL.certkeys`), not validated. */
export interface Certificate {
  /** The certified key in wire format, without the certificate. */
  key: Buffer;
  serial: bigint;
  kind: 'user' | 'host' | 'unknown';
  keyId: string;
  /** Allowed login names; empty for any. */
  principals: string[];
  /** Validity in seconds since 1970; the end is exclusive. */
  validAfter: bigint;
  validBefore: bigint;
  /** Critical options by name. */
  criticalOptions: Map<string, Buffer>;
  /** The signing key in wire format. */
  authority: Buffer;
  signature: Buffer;
  /** The signed bytes. */
  signed: Buffer;
}

const SUFFIX = '-cert-v01@openssh.com';
/** Number of fields of a plain key after its type, by type. */
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

/** Whether a blob is a certificate rather than a plain key. @throws RangeError if it is neither */
export const isCertificate = (blob: Buffer): boolean => new SshReader(blob).text().endsWith(SUFFIX);

/** Type of the plain key for a certificate type. */
function plainType(type: string): string {
  const bare = type.slice(0, -SUFFIX.length);
  return bare.startsWith('sk-') ? `${bare}@openssh.com` : bare;
}

/** The certified key. @throws RangeError for an invalid certificate */
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

/** Parses a certificate. @throws RangeError if it is invalid, including trailing bytes */
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
  const strings: Buffer[] = [];
  while (!reader.ended) {
    strings.push(reader.string());
    if (strings.length > limit) throw new RangeError('a list that is too long');
  }
  return strings;
}
